package controlplane

import (
	"crypto"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
)

// storedCredentials are the keys and certificates of a kept cluster.
type storedCredentials struct {
	// Authority is the cluster's authority, and the others are those that a
	// start needs in memory.
	Authority         storedPair `json:"authority"`
	Admin             storedPair `json:"admin"`
	ControllerManager storedPair `json:"controllerManager"`
	// Files are those that the programs read, by their name.
	Files map[string][]byte `json:"files"`
}

type storedPair struct {
	Certificate []byte `json:"certificate"`
	Key         []byte `json:"key"`
}

func (k keyPair) stored() storedPair  { return storedPair{Certificate: k.certificate, Key: k.key} }
func (s storedPair) keyPair() keyPair { return keyPair{certificate: s.Certificate, key: s.Key} }

// store collects the credentials of a run.
func store(run runFolder, keys credentials) (storedCredentials, error) {
	key, err := x509.MarshalPKCS8PrivateKey(keys.authority.key)
	if err != nil {
		return storedCredentials{}, err
	}
	stored := storedCredentials{
		Authority:         storedPair{Certificate: keys.authority.PEM, Key: encodePEM("PRIVATE KEY", key)},
		Admin:             keys.admin.stored(),
		ControllerManager: keys.controllerManager.stored(),
		Files:             map[string][]byte{},
	}
	for _, name := range credentialFiles() {
		data, err := os.ReadFile(run.path(name))
		if err != nil {
			return storedCredentials{}, err
		}
		stored.Files[name] = data
	}
	return stored, nil
}

// encode is the content of a template's file of keys.
func (s storedCredentials) encode() ([]byte, error) { return json.Marshal(s) }

// credentials are what was stored, in the form that a start needs.
func (s storedCredentials) credentials() (credentials, error) {
	certificate, err := onlyBlock(s.Authority.Certificate)
	if err != nil {
		return credentials{}, fmt.Errorf("the authority's certificate: %w", err)
	}
	parsed, err := x509.ParseCertificate(certificate)
	if err != nil {
		return credentials{}, fmt.Errorf("the authority's certificate: %w", err)
	}
	der, err := onlyBlock(s.Authority.Key)
	if err != nil {
		return credentials{}, fmt.Errorf("the authority's key: %w", err)
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return credentials{}, fmt.Errorf("the authority's key: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return credentials{}, errors.New("the authority's key cannot sign")
	}
	return credentials{
		authority:         authority{certificate: parsed, key: signer, PEM: s.Authority.Certificate},
		admin:             s.Admin.keyPair(),
		controllerManager: s.ControllerManager.keyPair(),
	}, nil
}

func onlyBlock(text []byte) ([]byte, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not PEM")
	}
	return block.Bytes, nil
}
