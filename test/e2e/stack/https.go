package stack

import "path/filepath"

// ServeImagesByHTTPS serves the images of ServeImages by HTTPS on port 443 as
// well, with a certificate of an authority that the cluster's images trust. It
// returns the URL of their folder, without a slash at its end; call it once.
func (s *Stack) ServeImagesByHTTPS() (string, error) {
	return s.ControlPlane.HTTPSSource(filepath.Join(s.Dir, "images"))
}
