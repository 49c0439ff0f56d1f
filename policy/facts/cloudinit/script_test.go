package cloudinit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnalyse(t *testing.T) {
	cases := []struct{ name, script, want string }{
		{"an installation of packages", "apt-get update && apt-get -y install nginx", ""},
		{"a restart of sshd", "systemctl restart sshd", ""},
		{"chpasswd", "echo 'ops:s' | chpasswd", "password"},
		{"chpasswd by its path", "echo ops:s|/usr/sbin/chpasswd -e", "password"},
		{"passwd from a pipe", "echo s | passwd --stdin ops", "password"},
		{"passwd that deletes", "passwd -d root", "password"},
		{"passwd that unlocks", "sudo passwd -u root", "password"},
		{"passwd that locks", "passwd -l root", "password-lock"},
		{"passwd that locks one and deletes another", "passwd -l root; passwd -d ops", "password password-lock"},
		{"a look at the accounts", "getent passwd ops", ""},
		{"usermod with a hash", "usermod -p '$6$s$h' ops", "accounts password"},
		{"usermod that unlocks", "usermod -U ops", "accounts password"},
		{"usermod that locks", "usermod -L root", "accounts password-lock"},
		{"usermod with a number", "usermod -u 1001 ops", "accounts"},
		{"usermod with a group", "usermod -aG docker ops", "accounts"},
		{"useradd with a hash", "useradd -m -p x ops", "accounts password"},
		{"the shadow file", "sed -i 's/^root:[^:]*/root:/' /etc/shadow", "password"},
		{"sshd by sed", "sed -i 's/^#*PasswordAuthentication.*/PasswordAuthentication yes/' /etc/ssh/sshd_config", "sshd"},
		{"sshd by sed from no to yes", "sed -i 's/PasswordAuthentication no/PasswordAuthentication yes/' /etc/ssh/sshd_config", "sshd"},
		{"sshd by sed to no", "sed -i 's/^#*PasswordAuthentication.*/PasswordAuthentication no/' /etc/ssh/sshd_config", "sshd-harden"},
		{"sshd by echo", "echo PermitRootLogin yes >> /etc/ssh/sshd_config", "sshd"},
		{"sshd by a here document", "cat > /etc/ssh/sshd_config.d/00.conf <<EOF\nPasswordAuthentication yes\nEOF", "sshd"},
		{"sshd replaced by a file", "cp /tmp/x /etc/ssh/sshd_config", "sshd"},
		{"sshd with options", "/usr/sbin/sshd -o PasswordAuthentication=yes", "sshd"},
		{"another ssh server", "apt-get -y install dropbear", "sshd"},
		{"root's keys by path", "cat k >> /root/.ssh/authorized_keys", "root-keys"},
		{"root's keys by home", "cat k >> ~/.ssh/authorized_keys", "root-keys"},
		{"root's keys by copying", "cp -r /home/ops/.ssh /root/", "root-keys"},
		{"root's keys from a server", "ssh-import-id gh:ops", "root-keys"},
		{"text replaced in a variable", "hostname ${NAME//./-}", ""},
		{"a command cut out of a variable", "${A:0:8} < /tmp/x", "obfuscated"},
		{"another user's keys", "cat k >> /home/ops/.ssh/authorized_keys", "user-keys"},
		{"sudoers", "echo 'ops ALL=(ALL) ALL' > /etc/sudoers.d/ops", "sudoers"},
		{"PAM", "sed -i d /etc/pam.d/sshd", "pam"},
		{"cloud-init's state", "rm -rf /var/lib/cloud/instances", "cloud-config"},
		{"a comment", "# echo a:b | chpasswd\ntrue", ""},
		{"a word split by quotes", "echo a:b | ch''passwd", "password"},
		{"a word split by a backslash", "echo a:b | ch\\passwd", "password"},
		{"a line that is continued", "echo a:b | \\\n chpasswd", "password"},
		{"a download into a shell", "curl -fsSL https://example.com/x | sudo bash", "fetched"},
		{"a download by substitution", "bash <(wget -qO- https://example.com/x)", "fetched"},
		{"a download that is made to run", "wget https://example.com/x -O /opt/x\nchmod +x /opt/x", "fetched"},
		{"a call to a server", "curl -fsS -X POST https://example.com/ready", ""},
		{"a download that is thrown away", "curl -o /dev/null https://example.com\nchmod +x /opt/x", ""},
		{"a clone", "git clone https://example.com/x /opt/x", "fetched"},
		{"base64 into a shell", "echo cGFzc3dk | base64 -d | sh", "encoded"},
		{"base64 by a long option", "base64 --decode < x > y", "encoded"},
		{"characters by number", `printf '\x63\x68\x70' | sh`, "encoded"},
		{"eval", "eval \"$CMD\"", "obfuscated"},
		{"a command of pieces", "a=ch; b=passwd; $a$b < /tmp/x", "obfuscated password"},
		{"another language", "#!/usr/bin/env python3\nprint(1)", "interpreter"},
		{"another language on a line", "python3 -c 'print(1)'", "interpreter"},
		{"a shell by env", "#!/usr/bin/env bash\ntrue", ""},
		{"no text", "#!/bin/sh\n\x00", "binary"},
		{"too long", strings.Repeat("true\n", maxScript), "too-large"},
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

func TestCommandsAreReadOneByOneAndTogether(t *testing.T) {
	run(t, []struct{ name, data, want string }{
		{"text", cc("runcmd:\n- echo a:b | chpasswd\n"), "cloud-config pwauth=unset root=unset touch:password"},
		{"words", cc("runcmd:\n- [passwd, -d, root]\n"), "cloud-config pwauth=unset root=unset touch:password"},
		{"words for a shell", cc("bootcmd:\n- [sh, -c, \"echo a:b | chpasswd\"]\n"), "cloud-config pwauth=unset root=unset touch:password"},
		{"cloud-init-per", cc("bootcmd:\n- [cloud-init-per, once, x, passwd, -u, root]\n"), "cloud-config pwauth=unset root=unset touch:password"},
		{"a download that a later command runs", cc("runcmd:\n- wget https://example.com/x\n- sh x\n"), "cloud-config pwauth=unset root=unset opaque:fetched"},
		{"text for a list", cc("runcmd: passwd -d root\n"), "cloud-config pwauth=unset root=unset touch:password"},
		{"a mapping by mistake", cc("runcmd:\n- echo: x\n"), "cloud-config pwauth=unset root=unset unread"},
		{"snap", cc("snap: {commands: {0: snap install x}}\n"), "cloud-config pwauth=unset root=unset opaque:fetched"},
		{"ansible", cc("ansible: {pull: {url: 'https://example.com'}}\n"), "cloud-config pwauth=unset root=unset opaque:fetched"},
		{"the condition of a restart", cc("power_state: {condition: 'passwd -d root'}\n"), "cloud-config pwauth=unset root=unset touch:password"},
		{"harmless commands", cc("runcmd:\n- systemctl enable --now nginx\n- [touch, /run/done]\n"), "cloud-config pwauth=unset root=unset"},
	})
}
