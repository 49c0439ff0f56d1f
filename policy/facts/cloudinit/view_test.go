package cloudinit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const dropIn = "/etc/ssh/sshd_config.d/50-cloud-init.conf"

func TestAScriptIsReadAsTheShellReadsIt(t *testing.T) {
	cases := []struct{ name, script, want string }{
		{"the hardening deleted", "sed -i '/PasswordAuthentication no/d' " + dropIn, "sshd"},
		{"the hardening emptied", "sed -i 's/PasswordAuthentication no//' " + dropIn, "sshd"},
		{"the hardening commented out", "sed -i 's/^PasswordAuthentication no/#PasswordAuthentication no/' " + dropIn, "sshd"},
		{"the hardening commented out by a group", `sed -i 's/^\(PasswordAuthentication no\)/#\1/' ` + dropIn, "sshd"},
		{"the hardening left out by grep", "grep -v 'PasswordAuthentication no' " + dropIn + " > /tmp/x && mv /tmp/x " + dropIn, "sshd"},
		{"the hardening left out by awk", "awk '!/PasswordAuthentication no/' " + dropIn + " > /tmp/x; cp /tmp/x " + dropIn, "sshd"},
		{"the hardening written over", "echo 'PermitRootLogin no' > " + dropIn, "sshd"},
		{"the hardening written over by tee", "echo 'PermitRootLogin no' | tee " + dropIn, "sshd"},
		{"one of two commands of sed", "sed -i -e 's/x/PasswordAuthentication no/' -e '/no/d' " + dropIn, "sshd"},
		{"sed that hardens a group", `sed -i -E 's/^#?(PasswordAuthentication).*/\1 no/' /etc/ssh/sshd_config`, "sshd-harden"},
		{"sed that hardens by change", "sed -i '/^PasswordAuthentication/c PasswordAuthentication no' /etc/ssh/sshd_config", "sshd-harden"},
		{"printf that hardens", `printf "PasswordAuthentication no\nKbdInteractiveAuthentication no\n" > /etc/ssh/sshd_config.d/10-x.conf`, "sshd-harden"},
		{"a here document that hardens", "cat > /etc/ssh/sshd_config.d/10-x.conf <<EOF\nPasswordAuthentication no\nEOF", "sshd-harden"},
		{"a file by a variable that hardens", "f=/etc/ssh/sshd_config\necho PasswordAuthentication no >> $f", "sshd-harden"},
		{"a command in a variable", "c=chpasswd; echo a:b | $c", "password"},
		{"half a command in a variable", "p=chpass; echo a:b | ${p}wd", "password"},
		{"a command in a list", "for c in true chpasswd; do echo a:b | $c; done", "password"},
		{"a command that is computed", "echo a:b | $(echo dwssaphc | rev)", "obfuscated"},
		{"a command that is read", "read c < /opt/c; $c", "obfuscated"},
		{"a command of the environment", "sudo -u root $CMD", "obfuscated"},
		{"a command by a pattern", "echo a:b | /usr/sbin/chpass?d", "obfuscated"},
		{"a command by a list in braces", "echo a:b | /usr/sbin/{chpass,x}wd", "obfuscated"},
		{"a command behind then", "if true; then $X y; fi", "obfuscated"},
		{"a command that find runs", "find /opt -name x -exec {} +", "obfuscated"},
		{"an alias", "alias x=chpasswd; echo a:b | x", "password"},
		{"an alias for people", "alias ll='ls -l'", ""},
		{"a file below a folder in a variable", "$HOME/bin/x --all", ""},
		{"arguments that are passed on", "log() { echo \"$@\"; }\nlog \"$USER\" $1", ""},
		{"a case with patterns", "case \"$1\" in a*|b) true ;; *) false ;; esac", ""},
		{"a test of variables", "[[ -n $A && $B == *x* ]] && true", ""},
		{"a package manager by a variable", "PM=apt-get; $PM -y install nginx", ""},
		{"a file into a shell", "cat /opt/x | sh", "elsewhere"},
		{"a file as a shell's input", "bash < /opt/x", "elsewhere"},
		{"a file through a filter into a shell", "tr a b < /opt/x | sudo bash -s", "elsewhere"},
		{"a known text into a shell", "echo 'systemctl restart nginx' | sh", ""},
		{"a hidden word in a known text", "echo '$X y' | sh", "obfuscated"},
		{"a script on a disk", "mount /dev/vdb /mnt && sh /mnt/setup.sh", "elsewhere"},
		{"a folder on a disk", "mount /dev/vdb /mnt\ncp -r /mnt/etc /opt/x", "elsewhere"},
		{"a disk for data", "mount /dev/vdb /data && mkdir -p /data/pg && chown postgres /data/pg", ""},
		{"an archive over the root", "tar xzf /mnt/x.tgz -C /", "elsewhere"},
		{"an archive in a folder of its own", "tar xzf /opt/x.tgz -C /opt/app", ""},
		{"a package in a file", "dpkg -i /opt/a.deb", "elsewhere"},
		{"a package in a file by apt", "apt-get -y install ./a.deb", "elsewhere"},
		{"an answer for debconf", "echo 'openssh-server openssh-server/password-authentication boolean true' | debconf-set-selections", "sshd"},
		{"answers for debconf from a file", "debconf-set-selections < /opt/x", "elsewhere"},
		{"a password field emptied", "sed -i 's/^ops:x:/ops::/' /etc/passwd", "accounts password root-account"},
		{"drop-ins removed", "rm -rf /etc/ssh/*.d", "sshd"},
		{"settings found and changed", `find /etc/ssh -name "*.conf" -exec sed -i s/no/yes/ {} +`, "sshd"},
		{"a folder over sshd's", "mount --bind /opt/ssh /etc/ssh", "sshd"},
		{"host keys made anew", "rm -f /etc/ssh/ssh_host_* && ssh-keygen -A", ""},
		{"root's folder in a variable", "R=/root; cp /home/ops/.ssh/authorized_keys $R/.ssh/", "root-keys user-keys"},
		{"root's folder entered", "cd /root/ && mkdir -p .ssh && cp /home/ops/.ssh/authorized_keys .ssh/", "root-keys user-keys"},
		{"a folder that is filled in", "d=$(getent passwd root | cut -d: -f6); cp -r /home/ops/.ssh $d", "root-keys"},
		{"another's folder entered", "cd /home/ops && mkdir -p .ssh", ""},
		{"a group", "usermod -aG wheel ops", "accounts"},
		{"an account of a service", "useradd -r -s /sbin/nologin app", "accounts"},
		{"an account with root's number", "useradd -ou 0 toor", "accounts root-account"},
		{"an account with root's folder", "useradd -d /root toor", "accounts root-account"},
		{"a file of a like name", "touch /var/lib/cloud-done", ""},
		{"a look at the settings", "grep -q PasswordAuthentication /etc/ssh/sshd_config && echo ok", ""},
		{"a notice", `echo "passwd changes are forbidden" > /etc/motd`, ""},
		{"a command for later", `echo "passwd -d root" > /opt/x; sh /opt/x`, "password"},
		{"a notice that is run", `echo "passwd -d root" > /opt/x.txt; sh /opt/x.txt`, "password"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			touches, opaque := analyse(c.script, shell)
			if diff := cmp.Diff(c.want, strings.Join(union(touches, opaque), " ")); diff != "" {
				t.Errorf("analyse (-want +got):\n%s", diff)
			}
		})
	}
}
