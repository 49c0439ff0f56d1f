# METADATA
# title: Change the nodes' networks
# description: |
#   The DaemonSet that makes the host bridges has the network of every node and may change it. It is written where the
#   platform's configuration switches on a network whose bridge the nodes need, and else not.
# custom:
#   source: networking.public.enabled or networking.isolated.enabled of ConfigMap virtfoundry-platform
#   on_refusal: refuse
#   subjects: [ConfigMap]
package cato.grants.host_bridges

import data.cato.lib.bridges

# METADATA
# description: A network is switched on.
given contains {
	"because": "the platform's configuration switches on a network",
	"evidence": {"platform": input.object.platform},
} if bridges.asked
