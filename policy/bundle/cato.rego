# METADATA
# title: Cato
# description: Binds the schema of the input document to every package below, so that a misspelt fact does not compile.
# scope: subpackages
# schemas:
#   - input: schema.input
package cato
