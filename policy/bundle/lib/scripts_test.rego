package cato.lib.scripts_test

import data.cato.lib.scripts

test_none if {
	scripts.none with input as {"guest": {"userData": []}}
	scripts.none with input as {"guest": {"userData": [{"decoded": {"scripts": []}}]}}
}

test_some_or_not_known if {
	every seed in [null, [{"decoded": {"scripts": [{}]}}], [{"decoded": {"scripts": null}}], [{}]] {
		not _none({"guest": {"userData": seed}})
	}
	not _none({})
}

_none(document) if scripts.none with input as document

test_doubt_in_words if {
	scripts.doubt({"opaque": ["encoded", "fetched"], "touches": []}) == "it is encoded, fetched, so it does not show what it does"
	scripts.doubt({"opaque": [], "touches": ["pam"]}) == "it touches pam"
	scripts.doubt({"opaque": [null], "touches": null}) == "what it does is not known"
}

test_harmless_touches if scripts.harmless & {"password", "sshd", "pam", "cloud-config"} == set()
