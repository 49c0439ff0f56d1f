// Validates OSCAL documents with ajv: node validate.mjs SCHEMA.json DOCUMENT.json...
// One line a document; exit 0 when all are valid, 1 when one is not, 2 on bad use.
import { readFileSync } from "node:fs";
import Ajv from "ajv";
import addFormats from "ajv-formats";

const [schema, ...documents] = process.argv.slice(2);
if (!schema || documents.length === 0) {
  console.error("usage: node validate.mjs SCHEMA.json DOCUMENT.json...");
  process.exit(2);
}

// strict is about how a schema is written, and NIST's is not ours to change.
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(schema, "utf8")));

let refused = 0;
for (const name of documents) {
  if (validate(JSON.parse(readFileSync(name, "utf8")))) {
    console.log(`${name}: valid`);
    continue;
  }
  refused++;
  for (const e of validate.errors) {
    console.log(`${name}: ${e.instancePath || "/"}: ${e.message} ${JSON.stringify(e.params)}`);
  }
}
process.exit(refused === 0 ? 0 : 1);
