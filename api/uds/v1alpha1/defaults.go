package v1alpha1

// defaultCores is the number of virtual cores of a VM that asks for none.
const defaultCores int32 = 1

// SetDefaults fills in what the API server would fill in by the schema's defaults. A UDSVirtualMachine that was
// read from a file needs it, so that a check over files judges the same object that the cluster would store.
func (s *UDSVirtualMachineSpec) SetDefaults() {
	if s.OSType == "" {
		s.OSType = OSLinux
	}
	if s.RunStrategy == "" {
		s.RunStrategy = RunAlways
	}
	if s.CPU.Cores == nil {
		cores := defaultCores
		s.CPU.Cores = &cores
	}
	for i := range s.DataDisks {
		if s.DataDisks[i].RetentionPolicy == "" {
			s.DataDisks[i].RetentionPolicy = RetentionRetain
		}
	}
	if s.Windows != nil && s.Windows.ProvisioningMode == "" {
		s.Windows.ProvisioningMode = ProvisioningAuto
	}
	if s.Network != nil {
		s.Network.setDefaults()
	}
}

func (n *Network) setDefaults() {
	for i := range n.Egress {
		for j := range n.Egress[i].Ports {
			if n.Egress[i].Ports[j].Protocol == "" {
				n.Egress[i].Ports[j].Protocol = ProtocolTCP
			}
		}
	}
}
