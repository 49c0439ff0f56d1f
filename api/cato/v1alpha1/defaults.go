package v1alpha1

// SetDefaults fills in what the API server would fill in by the schema's defaults; a profile read from a file needs it.
// Built-in values of absent parameters are none of these: policy holds them.
func (s *ComplianceProfileSpec) SetDefaults() {
	if s.Parameters.Grants == nil {
		return
	}
	for i := range s.Parameters.Grants.Egress {
		ports := s.Parameters.Grants.Egress[i].Ports
		for j := range ports {
			if ports[j].Protocol == "" {
				ports[j].Protocol = ProtocolTCP
			}
		}
	}
}
