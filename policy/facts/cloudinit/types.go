// Package cloudinit answers one question without judging it: what does a Linux guest end up with when
// cloud-init (data source NoCloud, as KubeVirt presents it) reads this user data?
//
// The semantics are those of cloud-init 22.4 to 25: the handlers of user data, the mergers, and the modules
// users_groups, ssh, set_passwords, write_files, bootcmd and runcmd. Where versions differ, the facts state
// the weaker guest. No secret value is ever part of a fact: presence, kind and place only.
package cloudinit

// Formats of user data, by what cloud-init takes the outermost document for.
const (
	FormatNone        = "none"         // no user data at all
	FormatCloudConfig = "cloud-config" // #cloud-config
	FormatMultipart   = "multipart"    // a MIME message
	FormatScript      = "script"       // #!
	FormatJinja       = "jinja"        // ## template: jinja
	FormatInclude     = "include"      // #include, #include-once
	FormatBoothook    = "boothook"     // #cloud-boothook
	FormatArchive     = "archive"      // #cloud-config-archive
	FormatPartHandler = "part-handler" // #part-handler
	FormatJSONPatch   = "json-patch"   // #cloud-config-jsonp
	FormatIgnored     = "ignored"      // not recognised: cloud-init ignores the data as a whole
)

// States of ssh_pwauth.
const (
	AuthDisabled  = "disabled"  // PasswordAuthentication no is written
	AuthEnabled   = "enabled"   // PasswordAuthentication yes is written
	AuthUnchanged = "unchanged" // said to be left to the image
	AuthUnset     = "unset"     // not said, so left to the image
	AuthInvalid   = "invalid"   // not understood, or the module that applies it fails before: left to the image
)

// States of a boolean key.
const (
	True  = "true"
	False = "false"
	Unset = "unset"
)

// States of disable_root_opts.
const (
	OptsBlock  = "blocks"  // a forced command that ends the session
	OptsPermit = "permits" // no forced command, or one that is not known to end the session
)

// Kinds of a password.
const (
	KindText   = "text"   // in clear text
	KindHash   = "hash"   // a crypt hash
	KindRandom = "random" // made in the guest and printed to its console
	KindEmpty  = "empty"  // an empty string
	KindMarker = "marker" // a value that no password matches: "!", "*", "!!", "x"
)

// What a script or a file touches.
const (
	TouchPassword     = "password"      // sets, deletes or unlocks a password
	TouchPasswordLock = "password-lock" // only locks a password
	TouchSSHD         = "sshd"          // changes sshd's settings, or how it is started
	TouchSSHDHarden   = "sshd-harden"   // changes sshd's settings, and every value shown turns a login off
	TouchRootKeys     = "root-keys"     // root's authorized keys
	TouchUserKeys     = "user-keys"     // another user's authorized keys
	TouchAccounts     = "accounts"      // adds or changes accounts
	TouchRootAccount  = "root-account"  // may give an account root's number, home or name
	TouchSudoers      = "sudoers"
	TouchLoader       = "loader" // code that every program loads
	TouchPAM          = "pam"
	TouchCloudConfig  = "cloud-config" // cloud-init's own configuration or state
)

// Why a script does not show all it does.
const (
	OpaqueFetched     = "fetched"     // runs what it downloads
	OpaqueEncoded     = "encoded"     // runs what it decodes
	OpaqueBinary      = "binary"      // not text
	OpaqueObfuscated  = "obfuscated"  // eval, or commands made up of pieces
	OpaqueInterpreter = "interpreter" // a language other than the shell
	OpaqueElsewhere   = "elsewhere"   // runs or unpacks what is neither in the user data nor a file of its own
	OpaqueTooLarge    = "too-large"   // longer than is read
)

// Guest is what the user data amounts to. Every field is always encoded, lists are never null.
type Guest struct {
	// Format is one of the constants Format...; Compressed tells that the whole was gzipped.
	Format     string `json:"format"`
	Compressed bool   `json:"compressed"`
	// SSHPasswordAuth is what ssh_pwauth amounts to after all parts are merged: one of Auth...
	SSHPasswordAuth     string `json:"sshPasswordAuth"`
	SSHPasswordAuthPath string `json:"sshPasswordAuthPath"`
	// DisableRoot is "true", "false" or "unset" (then the image decides; cloud-init's own default is true).
	DisableRoot     string `json:"disableRoot"`
	DisableRootPath string `json:"disableRootPath"`
	// DisableRootOpts is "unset" (the default, which blocks), "blocks" or "permits".
	DisableRootOpts string `json:"disableRootOpts"`
	// DefaultUser tells whether the image's default user is made: "unset" (no users key: it is), "kept"
	// (listed, or redefined by user), or "dropped".
	DefaultUser string     `json:"defaultUser"`
	Users       []User     `json:"users"`
	Passwords   []Password `json:"passwords"`
	// SSHD holds each relevant setting that a written file gives to sshd.
	SSHD []SSHDSetting `json:"sshd"`
	// RootKeys holds each way by which a key, or the removal of a guard, lets root in.
	RootKeys []Place  `json:"rootKeys"`
	Scripts  []Script `json:"scripts"`
	// Nested holds cloud-config that is written below /etc/cloud and is read from then on. Its users, passwords
	// and scripts are in the lists above.
	Nested []Nested `json:"nested"`
	// Ignored holds the parts that cloud-init is known to leave out: they have no effect.
	Ignored []Note `json:"ignored"`
	// Unread holds what could not be followed: its effect is not known.
	Unread []Note `json:"unread"`
}

// User is an account after entries of one name are merged (the first word on a key stands).
type User struct {
	Path    string `json:"path"`
	Name    string `json:"name"`
	Default bool   `json:"default"` // the image's default user
	Root    bool   `json:"root"`
	// LockPasswd is what the entry says: "true", "false" or "unset" (which locks). Locked is the effect of it,
	// before passwords that are set later (chpasswd, password).
	LockPasswd string `json:"lockPasswd"`
	Locked     bool   `json:"locked"`
	// Keys counts the authorized keys; ImportsKeys tells of keys fetched from a key server.
	Keys        int  `json:"keys"`
	ImportsKeys bool `json:"importsKeys"`
	Sudo        bool `json:"sudo"`
}

// Password is one place that sets a password. Its value is never kept.
type Password struct {
	Path      string `json:"path"`
	User      string `json:"user"`      // "" = the image's default user
	Mechanism string `json:"mechanism"` // chpasswd.list, chpasswd.users, password, passwd, hashed_passwd, plain_text_passwd, autoinstall
	Kind      string `json:"kind"`      // one of Kind...
	// Usable tells that somebody may log in with it: it is not a marker, and nothing locks it afterwards.
	Usable bool   `json:"usable"`
	Why    string `json:"why"` // why it is not usable, else ""
}

// SSHDSetting is a setting in a file for sshd. sshd takes the first value that it reads.
type SSHDSetting struct {
	Path    string `json:"path"`
	File    string `json:"file"`
	Keyword string `json:"keyword"` // lower case, aliases resolved: passwordauthentication
	Value   string `json:"value"`   // lower case, first word for yes/no keywords
	InMatch bool   `json:"inMatch"` // below a Match line
	// Effect is "weakens" (lets passwords or root in), "hardens" (turns one of them off) or "other".
	Effect string `json:"effect"`
	// Order tells whether sshd reads the file "before" or "after" cloud-init's own 50-cloud-init.conf, or
	// "main" for sshd_config itself.
	Order string `json:"order"`
}

// Script is code that runs in the guest, or a file at a place that matters.
type Script struct {
	Path    string   `json:"path"`
	Origin  string   `json:"origin"`  // script, boothook, part-handler, runcmd, bootcmd, write_files, or another module's name
	File    string   `json:"file"`    // where it is written, for write_files, else ""
	Touches []string `json:"touches"` // Touch..., sorted
	Opaque  []string `json:"opaque"`  // Opaque..., sorted; empty = it shows all it does
}

// Nested is cloud-config in a written file.
type Nested struct {
	Path            string `json:"path"`
	File            string `json:"file"`
	SSHPasswordAuth string `json:"sshPasswordAuth"`
	DisableRoot     string `json:"disableRoot"`
	DisableRootOpts string `json:"disableRootOpts"`
}

// Place is a finding of a kind at a path.
type Place struct {
	Path string `json:"path"`
	// Kind is authorized-keys, import-id, default-user-is-root, disable-root-opts, file or no-redirect.
	Kind string `json:"kind"`
}

// Note names a part and why it has no effect, or why its effect is not known.
type Note struct {
	Part   string `json:"part"`
	Reason string `json:"reason"`
}
