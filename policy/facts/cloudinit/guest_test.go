package cloudinit

import (
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	pw := func(v string) string { return cc("disable_root: true\nssh_pwauth: " + v + "\n") }
	root := func(v string) string { return cc("ssh_pwauth: false\ndisable_root: " + v + "\n") }
	run(t, []struct{ name, data, want string }{
		{"ssh_pwauth no", pw("no"), "cloud-config" + ok},
		{"ssh_pwauth off", pw("Off"), "cloud-config" + ok},
		{"ssh_pwauth 0", pw("0"), "cloud-config" + ok},
		{"ssh_pwauth as text", pw(`"False"`), "cloud-config" + ok},
		{"ssh_pwauth text yes", pw(`"yes"`), "cloud-config pwauth=enabled root=true"},
		{"ssh_pwauth 1", pw("1"), "cloud-config pwauth=enabled root=true"},
		{"ssh_pwauth unchanged", pw("unchanged"), "cloud-config pwauth=unchanged root=true"},
		{"ssh_pwauth null", pw("null"), "cloud-config pwauth=unset root=true"},
		{"ssh_pwauth n is no boolean", pw("n"), "cloud-config pwauth=invalid root=true"},
		{"ssh_pwauth disabled is no boolean", pw("disabled"), "cloud-config pwauth=invalid root=true"},
		{"ssh_pwauth as a list", pw("[false]"), "cloud-config pwauth=invalid root=true"},
		{"ssh_pwauth with a dash is another key", cc("ssh-pwauth: false\n"), "cloud-config pwauth=unset root=unset"},
		{"ssh_pwauth below another key", cc("ssh: {ssh_pwauth: false}\n"), "cloud-config pwauth=unset root=unset"},
		{"the last of equal keys stands", cc("ssh_pwauth: false\ndisable_root: true\nssh_pwauth: true\n"), "cloud-config pwauth=enabled root=true"},
		{"a merge key does not override", cc("x: &x {ssh_pwauth: true}\n<<: *x\nssh_pwauth: false\ndisable_root: true\n"), "cloud-config" + ok},
		{"a merge key gives what is missing", cc("x: &x {ssh_pwauth: true}\n<<: *x\ndisable_root: true\n"), "cloud-config pwauth=enabled root=true"},
		{"an alias is followed", cc("x: &no off\nssh_pwauth: *no\ndisable_root: true\n"), "cloud-config" + ok},
		{"an anchor twice drops the document", cc("x: &a 1\ny: &a 2\nssh_pwauth: false\n"), "cloud-config pwauth=unset root=unset unread"},
		{"disable_root no", root("no"), "cloud-config pwauth=disabled root=false"},
		{"disable_root yes", root("Yes"), "cloud-config" + ok},
		{"disable_root text true", root(`"true"`), "cloud-config" + ok},
		{"disable_root null is false", root(""), "cloud-config pwauth=disabled root=false"},
		{"disable_root y is false", root("y"), "cloud-config pwauth=disabled root=false"},
		{"disable_root with a guard of its own", root("true\ndisable_root_opts: 'no-pty,command=\"echo no;sleep 1;exit 1\"'"), "cloud-config" + ok},
		{"disable_root with cloud-init's own guard", root("true\ndisable_root_opts: 'no-pty,command=\"echo ''Please login as the user \\\"$USER\\\" rather than the user \\\"$DISABLE_USER\\\".'';echo;sleep 10;exit 142\"'"), "cloud-config" + ok},
		{"disable_root with an empty guard", root("true\ndisable_root_opts: ''"), "cloud-config" + ok + " rootkeys:disable-root-opts"},
		{"disable_root with a guard that gives a shell", root("true\ndisable_root_opts: 'command=\"echo hi; exec bash\"'"), "cloud-config" + ok + " rootkeys:disable-root-opts"},
		{"the list of modules is replaced", cc("ssh_pwauth: false\ndisable_root: true\ncloud_config_modules: [runcmd]\n"), "cloud-config" + ok + " unread"},
		{"chpasswd that is null stops the module", cc("ssh_pwauth: false\ndisable_root: true\nchpasswd:\n"), "cloud-config pwauth=invalid root=true unread"},
		{"a line without a colon stops the module", cc("ssh_pwauth: false\ndisable_root: true\nchpasswd: {list: [ops]}\n"), "cloud-config pwauth=invalid root=true unread"},
		{"a user of chpasswd without a name stops the module", cc("ssh_pwauth: false\ndisable_root: true\nchpasswd: {users: [{password: x, type: text}]}\n"), "cloud-config pwauth=invalid root=true chpasswd.users:text:usable unread"},
		{"an alias bomb", cc("a: &a [x,x,x,x,x,x,x,x,x]\n" + bomb()), "cloud-config pwauth=unset root=unset unread"},
		{"deep nesting", cc("ssh_pwauth: " + strings.Repeat("[", 5000)), "cloud-config pwauth=unset root=unset unread"},
	})
}

func bomb() string {
	var b strings.Builder
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		b.WriteString(string(c) + ": &" + string(c) + " [*" + p + strings.Repeat(",*"+p, 8) + "]\n")
	}
	return b.String()
}

func TestPasswords(t *testing.T) {
	with := func(body string) string { return cc("ssh_pwauth: false\ndisable_root: true\n" + body) }
	run(t, []struct{ name, data, want string }{
		{"a hash on an account that is not locked", with("users: [{name: a, lock_passwd: false, passwd: $6$s$h}]"), "cloud-config" + ok + " passwd:hash:usable unlocked:a"},
		{"a hash on a locked account", with("users: [{name: a, passwd: $6$s$h}]"), "cloud-config" + ok + " passwd:hash:unusable"},
		{"the old spelling of the lock", with("users: [{name: a, lock-passwd: false, hashed_passwd: $6$s$h}]"), "cloud-config" + ok + " hashed_passwd:hash:usable unlocked:a"},
		{"an unknown spelling of the lock", with("users: [{name: a, lock_password: false, passwd: $6$s$h}]"), "cloud-config" + ok + " passwd:hash:unusable"},
		{"the lock as text is true whatever it says", with("users: [{name: a, lock_passwd: 'false', passwd: $6$s$h}]"), "cloud-config" + ok + " passwd:hash:unusable"},
		{"the lock as null is off", with("users: [{name: a, lock_passwd: , passwd: $6$s$h}]"), "cloud-config" + ok + " passwd:hash:usable unlocked:a"},
		{"the lock off", with("users: [{name: a, lock_passwd: off, plain_text_passwd: s}]"), "cloud-config" + ok + " plain_text_passwd:text:usable unlocked:a"},
		{"a number as password", with("users: [{name: a, lock_passwd: false, plain_text_passwd: 1234}]"), "cloud-config" + ok + " plain_text_passwd:text:usable unlocked:a"},
		{"an empty password that is unlocked", with("users: [{name: a, lock_passwd: false, plain_text_passwd: ''}]"), "cloud-config" + ok + " plain_text_passwd:empty:usable unlocked:a"},
		{"a star", with("users: [{name: a, lock_passwd: false, passwd: '*'}]"), "cloud-config" + ok + " passwd:marker:unusable unlocked:a"},
		{"a marked hash on a locked account", with("users: [{name: a, passwd: '!$6$s$h'}]"), "cloud-config" + ok + " passwd:marker:unusable"},
		{"a marked hash that is unlocked", with("users: [{name: a, lock_passwd: false, hashed_passwd: '!$6$s$h'}]"), "cloud-config" + ok + " hashed_passwd:hash:usable unlocked:a"},
		{"the second of three users", with("users: [default, {name: b, lock_passwd: false, passwd: $6$s$h}, {name: c}]"), "cloud-config" + ok + " passwd:hash:usable unlocked:b"},
		{"users as a mapping", with("users: {b: {lock_passwd: false, passwd: $6$s$h}, c: true}"), "cloud-config" + ok + " passwd:hash:usable unlocked:b"},
		{"users as text", with("users: a,b"), "cloud-config" + ok},
		{"of two entries of one user the first word stands", with("users: [{name: a, lock_passwd: true}, {name: a, lock_passwd: false, passwd: $6$s$h}]"), "cloud-config" + ok + " passwd:hash:unusable"},
		{"the default user by its own name", with("users: [default, {name: a, lock_passwd: false, hashed_passwd: $6$s$h}]\nuser: {name: a}"), "cloud-config" + ok + " hashed_passwd:hash:usable unlocked:a"},
		{"user as a mapping", with("user: {name: a, lock_passwd: false, passwd: $6$s$h}"), "cloud-config" + ok + " passwd:hash:usable unlocked:a"},
		{"the default user of system_info", with("system_info: {default_user: {name: a, lock_passwd: false, plain_text_passwd: s}}"), "cloud-config" + ok + " plain_text_passwd:text:usable unlocked:a"},
		{"password", with("password: s"), "cloud-config" + ok + " password:text:usable"},
		{"password RANDOM", with("password: RANDOM"), "cloud-config" + ok + " password:random:usable"},
		{"password with a hash", with("password: $6$s$h"), "cloud-config" + ok + " password:hash:usable"},
		{"password empty", with("password: ''"), "cloud-config" + ok + " password:empty:unusable"},
		{"password without a default user", with("password: s\nusers: [{name: a}]"), "cloud-config" + ok + " password:text:unusable"},
		{"password with the default user kept", with("password: s\nusers: [default, {name: a}]"), "cloud-config" + ok + " password:text:usable"},
		{"chpasswd.list as text", with("chpasswd:\n  list: |\n    a:s\n    b:RANDOM\n"), "cloud-config" + ok + " chpasswd.list:random:usable chpasswd.list:text:usable"},
		{"chpasswd.list as a list", with("chpasswd: {list: ['a:$6$s$h']}"), "cloud-config" + ok + " chpasswd.list:hash:usable"},
		{"a star in chpasswd.list is a password", with("chpasswd: {list: ['root:*']}"), "cloud-config" + ok + " chpasswd.list:text:usable"},
		{"chpasswd sets it after the account is locked", with("users: [{name: a, lock_passwd: true}]\nchpasswd: {users: [{name: a, password: s, type: text}]}"), "cloud-config" + ok + " chpasswd.users:text:usable"},
		{"chpasswd type RANDOM", with("chpasswd: {users: [{name: a, type: RANDOM}]}"), "cloud-config" + ok + " chpasswd.users:random:usable"},
		{"chpasswd type in small letters is left out", with("chpasswd: {users: [{name: a, type: random}]}"), "cloud-config" + ok + " chpasswd.users:text:unusable"},
		{"chpasswd with a marker", with("chpasswd: {users: [{name: a, password: '!'}]}"), "cloud-config" + ok + " chpasswd.users:marker:unusable"},
		{"chpasswd expire alone sets nothing", with("chpasswd: {expire: false}"), "cloud-config" + ok},
		{"autoinstall", with("autoinstall: {identity: {password: $6$s$h}}"), "cloud-config" + ok + " autoinstall:hash:usable unread"},
		{"root with keys", with("users: [{name: root, ssh_authorized_keys: [ssh-ed25519 AAAA]}]"), "cloud-config" + ok + " rootkeys:authorized-keys"},
		{"root with keys of a server", with("users: [{name: root, ssh_import_id: [gh:x]}]"), "cloud-config" + ok + " rootkeys:import-id"},
		{"root as the default user", with("user: root"), "cloud-config" + ok + " rootkeys:default-user-is-root"},
	})
}

func TestFiles(t *testing.T) {
	with := func(body string) string { return cc("ssh_pwauth: false\ndisable_root: true\nwrite_files:\n" + body) }
	file := func(path, content string) string {
		return with("- path: " + path + "\n  encoding: b64\n  content: " + b64(content) + "\n")
	}
	run(t, []struct{ name, data, want string }{
		{"a drop-in read before cloud-init's own", file("/etc/ssh/sshd_config.d/00-x.conf", "PasswordAuthentication yes\n"), "cloud-config" + ok + " sshd:passwordauthentication:weakens:before"},
		{"a drop-in read after it", file("/etc/ssh/sshd_config.d/99-x.conf", "passwordauthentication=yes\n"), "cloud-config" + ok + " sshd:passwordauthentication:weakens:after"},
		{"a drop-in that hardens", file("/etc/ssh/sshd_config.d/10-x.conf", "# PasswordAuthentication yes\nPasswordAuthentication no\nPermitRootLogin no\n"), "cloud-config" + ok + " sshd:passwordauthentication:hardens:before sshd:permitrootlogin:hardens:before"},
		{"root in sshd_config by a path with dots", file("/etc/ssh/x/..//sshd_config", "PermitRootLogin \"yes\" # x\n"), "cloud-config" + ok + " sshd:permitrootlogin:weakens:main"},
		{"an old name of a setting", file("/etc/ssh/sshd_config.d/10-x.conf", "ChallengeResponseAuthentication yes\n"), "cloud-config" + ok + " sshd:kbdinteractiveauthentication:weakens:before"},
		{"a file that sshd does not read", file("/etc/ssh/sshd_config.d/10-x.txt", "PermitRootLogin yes\n"), "cloud-config" + ok + " touch:sshd"},
		{"gzip in base64", with("- path: /etc/ssh/sshd_config\n  encoding: gz+b64\n  content: " + b64(gz("PermitRootLogin yes\n")) + "\n"), "cloud-config" + ok + " sshd:permitrootlogin:weakens:main"},
		{"content that is no base64", with("- path: /etc/ssh/sshd_config\n  encoding: b64\n  content: 'a'\n"), "cloud-config" + ok + " unread"},
		{"content from elsewhere", with("- path: /etc/ssh/sshd_config\n  source: {uri: 'https://example.com'}\n"), "cloud-config" + ok + " opaque:fetched touch:sshd"},
		{"root's keys", file("/root/.ssh/authorized_keys", "ssh-ed25519 AAAA\n"), "cloud-config" + ok + " rootkeys:file touch:root-keys"},
		{"the shadow file", file("/etc/shadow", "root:x:1::::::\n"), "cloud-config" + ok + " touch:password"},
		{"sudoers", file("/etc/sudoers.d/x", "ops ALL=(ALL) NOPASSWD:ALL\n"), "cloud-config" + ok + " touch:sudoers"},
		{"PAM", file("/etc/pam.d/sshd", "auth sufficient pam_permit.so\n"), "cloud-config" + ok + " touch:pam"},
		{"how sshd is started", file("/etc/default/ssh", "SSHD_OPTS=x\n"), "cloud-config" + ok + " touch:sshd"},
		{"configuration for the next start", file("/etc/cloud/cloud.cfg.d/99-x.cfg", "ssh_pwauth: true\nchpasswd: {list: ['a:b']}\n"), "cloud-config" + ok + " chpasswd.list:text:usable nested:pwauth=enabled,root=unset"},
		{"an ordinary file", file("/etc/motd", "PermitRootLogin yes\n"), "cloud-config" + ok},
		{"a file with a first line", file("/opt/x", "#!/bin/sh\npasswd -u root\n"), "cloud-config" + ok + " touch:password"},
		{"a file that runs by its place", file("/etc/cron.d/x", "* * * * * root usermod -p x root\n"), "cloud-config" + ok + " touch:accounts touch:password touch:root-account"},
		{"a file that a tool runs", file("/etc/logrotate.d/x", "/x { postrotate\necho a:b | chpasswd\nendscript }\n"), "cloud-config" + ok + " touch:password"},
		{"code that all programs load", file("/etc/ld.so.preload", "/opt/x.so\n"), "cloud-config" + ok + " touch:loader"},
		{"a detour by a process", file("/proc/1/root/etc/ssh/sshd_config.d/0.conf", "PasswordAuthentication yes\n"), "cloud-config" + ok + " sshd:passwordauthentication:weakens:before"},
		{"a file that runs by its mode", with("- path: /opt/x\n  permissions: '0755'\n  content: echo a:b | chpasswd\n"), "cloud-config" + ok + " touch:password"},
		{"a file that a command runs", cc("runcmd: [sh /opt/setup]\nwrite_files: [{path: /opt/setup, content: passwd -d root}]"), "cloud-config pwauth=unset root=unset touch:password"},
	})
}

func TestWhatIsTooMuchIsUnread(t *testing.T) {
	many := func(item string) string { return strings.Repeat(item, maxItems+1) }
	run(t, []struct{ name, data, want string }{
		{"users", cc("users:\n" + many("- a\n")), "cloud-config pwauth=unset root=unset unread"},
		{"users as text", cc("users: " + func() string {
			var b strings.Builder
			for i := range 2 * maxItems {
				b.WriteString("u" + index("", i)[1:] + ",")
			}
			return "'" + b.String() + "'"
		}()), "cloud-config pwauth=unset root=unset unread"},
		{"passwords", cc("chpasswd:\n  list:\n" + many("  - 'a:b'\n")), "cloud-config pwauth=unset root=unset chpasswd.list:text:usable unread"},
		{"files", cc("write_files:\n" + many("- {path: /x}\n")), "cloud-config pwauth=unset root=unset unread"},
		{"commands", cc("runcmd:\n" + many("- ls\n")), "cloud-config pwauth=unset root=unset unread"},
		{"settings of sshd", cc("write_files:\n- path: /etc/ssh/sshd_config\n  content: |\n" + many("    UsePAM yes\n")), "cloud-config pwauth=unset root=unset sshd:usepam:other:main unread"},
		{"shell text in all", cc("write_files:\n" + strings.Repeat("- {path: /etc/cron.d/x, content: '"+strings.Repeat("true;", 40000)+"'}\n", 6)), "cloud-config pwauth=unset root=unset opaque:too-large"},
		{"gzip in all", cc("write_files:\n" + strings.Repeat("- {path: /x, encoding: gz+b64, content: "+b64(gz(strings.Repeat("a", maxInput)))+"}\n", 3)), "cloud-config pwauth=unset root=unset unread"},
	})
}

func TestModules(t *testing.T) {
	with := func(body string) string { return cc("ssh_pwauth: false\ndisable_root: true\n" + body) }
	run(t, []struct{ name, data, want string }{
		{"a template for sshd", with("ntp: {config: {confpath: /etc/ssh/sshd_config.d/0.conf, template: 'PasswordAuthentication yes'}}"), "cloud-config" + ok + " sshd:passwordauthentication:weakens:before touch:sshd"},
		{"a template at its place", with("ntp: {config: {confpath: /etc/chrony.conf, template: 'pool x'}}"), "cloud-config" + ok},
		{"a hook of an interface", with("wireguard: {interfaces: [{name: wg0, config_path: /etc/wireguard/wg0.conf, content: 'PostUp = echo a:b | chpasswd'}]}"), "cloud-config" + ok + " touch:password"},
		{"a mount over sshd's folder", with("mounts: [[/dev/vdb, /etc/ssh]]"), "cloud-config" + ok + " touch:sshd"},
		{"a mount for data", with("mounts: [[/dev/vdb, /data]]"), "cloud-config" + ok},
		{"output into a shell", with("output: {all: '| sh'}"), "cloud-config" + ok + " opaque:elsewhere"},
		{"output into a log", with("output: {all: '| tee -a /var/log/x.log'}"), "cloud-config" + ok},
		{"a hook of apt", with("apt: {conf: 'DPkg::Post-Invoke {\"echo a:b|chpasswd\";};'}"), "cloud-config" + ok + " touch:password"},
		{"a setting of apt", with("apt: {conf: 'APT::Install-Recommends \"0\";'}"), "cloud-config" + ok},
		{"a command that makes a file system", with("fs_setup: [{cmd: 'echo a:b | chpasswd'}]"), "cloud-config" + ok + " touch:password"},
		{"a package that is a file", with("packages: [/opt/a.deb]"), "cloud-config" + ok + " opaque:elsewhere"},
		{"packages", with("packages: [nginx, [vim, '2:8']]"), "cloud-config" + ok},
		{"an answer for debconf", with("apt: {debconf_selections: {a: 'openssh-server openssh-server/password-authentication boolean true'}}"), "cloud-config" + ok + " touch:sshd"},
	})
}
