// Package server offers the OSCAL documents over HTTPS to those whom the cluster lets read them.
//
//	GET /oscal/v1/component-definition
//	GET /oscal/v1/assessment-plan[?namespace=N]
//	GET /oscal/v1/assessment-results[?namespace=N][&view=rules]
//	GET /oscal/v1/verdicts[?namespace=N]      the evidence that assessment-results refers to, one JSON object a line
//
// A request carries a bearer token, which the API server reviews (TokenReview). The component-definition is for
// everyone whom it knows. For the others SubjectAccessReview asks for get on compliancereports/oscal (group
// cato.dev) in that namespace, without a namespace in the whole cluster. YAML by Accept or ?format=yaml.
package server
