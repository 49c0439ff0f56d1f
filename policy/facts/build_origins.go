package facts

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// buildOrigins lists where content is fetched from, each place once: what a
// DataVolume repeats of the spec is not listed again.
func buildOrigins(g *Gathered, namespace string) []Origin {
	origins := []Origin{}
	add := func(o Origin) {
		same := func(other Origin) bool { o.Path = other.Path; return same(o, other) }
		path := o.Path
		if !slices.ContainsFunc(origins, same) {
			o.Path = path
			origins = append(origins, o)
		}
	}
	if m := g.Machine; m != nil {
		switch m.Spec.SourceType {
		case udsv1alpha1.SourceHTTP:
			add(originOfURL("spec.url", m.Spec.URL))
		case udsv1alpha1.SourceRegistry:
			add(originOfImage("spec.url", parseRegistryURL(m.Spec.URL)))
		}
	}
	if t := templateOf(g); Imports(t) {
		path := "spec.image"
		if g.Template == nil {
			path = "Template/" + t.Namespace + "/" + t.Name + " " + path
		}
		add(originOfTemplate(path, t))
	}
	for _, volume := range ownVolumes(g, namespace) {
		path, s := "DataVolume/"+volume.Name+" spec.source.", volume.Spec.Source
		switch {
		case s == nil:
		case s.HTTP != nil:
			add(originOfURL(path+"http.url", s.HTTP.URL))
		case s.Registry != nil:
			add(originOfImage(path+"registry", registryImage(s.Registry)))
		case s.S3 != nil:
			add(originOfURL(path+"s3.url", s.S3.URL))
		case s.GCS != nil:
			add(originOfURL(path+"gcs.url", s.GCS.URL))
		case s.Imageio != nil:
			add(originOfURL(path+"imageio.url", s.Imageio.URL))
		case s.VDDK != nil:
			add(originOfURL(path+"vddk.url", s.VDDK.URL))
		}
	}
	return origins
}

// ownVolumes are the DataVolumes of a machine's own namespace, with those that
// its VirtualMachine will make. Before a write the one that Cato makes is what
// the spec asks for: an edit of it is put right, and must not stop that.
func ownVolumes(g *Gathered, namespace string) []cdiv1beta1.DataVolume {
	volumes := []cdiv1beta1.DataVolume{}
	for _, volume := range g.DataVolumes {
		planned := g.Moment != Live && (g.Machine != nil && volume.Name == g.Machine.Name+udsv1alpha1.DataVolumeSuffix || slices.Contains(InstanceVolumes(g), volume.Name))
		if volume.Namespace == namespace && !planned {
			volumes = append(volumes, volume)
		}
	}
	if g.VirtualMachine == nil {
		return volumes
	}
	for _, template := range g.VirtualMachine.Spec.DataVolumeTemplates {
		made := slices.ContainsFunc(volumes, func(v cdiv1beta1.DataVolume) bool { return v.Name == template.Name })
		if !made {
			volume := cdiv1beta1.DataVolume{Spec: template.Spec}
			volume.Namespace, volume.Name = namespace, template.Name
			volumes = append(volumes, volume)
		}
	}
	return volumes
}

// templateOf is the Template that is judged, or that the Instance boots from.
func templateOf(g *Gathered) *virtfoundryv1alpha1.Template {
	switch {
	case g.Template != nil:
		return g.Template
	case g.Instance != nil && len(g.Named.Templates) > 0:
		return &g.Named.Templates[0]
	default:
		return nil
	}
}

// InstanceVolumes are the names of the DataVolumes that Cato makes for an
// Instance of a Template that is imported; none for another subject.
func InstanceVolumes(g *Gathered) []string {
	if g.Instance == nil || !Imports(templateOf(g)) {
		return nil
	}
	return []string{g.Instance.Name + virtfoundryv1alpha1.BootSuffix, g.Instance.Name + virtfoundryv1alpha1.MediumSuffix}
}

// originOfTemplate reads an image as CDI will be told to: without a scheme it
// is one of a registry, and an iso is never of one.
func originOfTemplate(path string, t *virtfoundryv1alpha1.Template) Origin {
	if fromRegistry(t) {
		return originOfImage(path, templateImage(t))
	}
	return originOfURL(path, t.Spec.Image)
}

// fromRegistry tells whether the file of a Template that is imported is in an image of a registry.
func fromRegistry(t *virtfoundryv1alpha1.Template) bool {
	return t.Spec.SourceType != virtfoundryv1alpha1.TemplateISO && !isWebURL(t.Spec.Image)
}

func templateImage(t *virtfoundryv1alpha1.Template) Image {
	if strings.Contains(t.Spec.Image, "://") {
		return parseRegistryURL(t.Spec.Image)
	}
	return parseImage(t.Spec.Image)
}

func originOfURL(path, text string) Origin {
	o := Origin{Path: path, Text: withoutUserinfo(text), Labels: []string{}, Addresses: []string{}}
	u, err := url.Parse(text)
	if err != nil {
		o.Problem = "is no URL"
		return o
	}
	o.Scheme, o.Userinfo, o.Port = bounded(strings.ToLower(u.Scheme)), u.User != nil, portOf(u)
	return o.at(parseHost(u.Hostname()))
}

// portOf is the port that a URL leads to; 0 where that is not known.
func portOf(u *url.URL) int {
	text := u.Port()
	if text == "" {
		text = map[string]string{"https": "443", "http": "80"}[strings.ToLower(u.Scheme)]
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0
	}
	return int(port)
}

func originOfImage(path string, image Image) Origin {
	o := Origin{Path: path, Text: image.Text, Scheme: "docker", Labels: []string{}, Addresses: []string{}}
	if !image.Valid {
		o.Problem = bounded(image.Problem)
		return o
	}
	name, _, err := net.SplitHostPort(image.Registry)
	if err != nil { // without a port
		name = image.Registry
	}
	return o.at(parseHost(strings.Trim(name, "[]")))
}

func (o Origin) at(h host) Origin {
	o.Valid, o.Problem, o.Host = h.problem == "", h.problem, h.name
	o.Labels, o.Addresses = append(o.Labels, h.labels...), append(o.Addresses, h.addresses...)
	return o
}

// parseSourceHost takes one entry of allowedSourceHosts apart. What is neither
// a name nor an address nor a CIDR has no host, and so allows nothing.
func parseSourceHost(text string) SourceHost {
	entry := SourceHost{Text: bounded(text)}
	if prefix, err := netip.ParsePrefix(text); err == nil {
		entry.CIDR = prefix.Masked().String()
		return entry
	}
	name, below := strings.CutPrefix(text, "*.")
	h := parseHost(strings.Trim(name, "[]"))
	if below && len(h.labels) == 0 {
		return entry
	}
	entry.Host, entry.Below = h.name, below
	return entry
}
