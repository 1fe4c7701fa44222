// Prints what CycloneDX's own library finds wrong with the bill of materials on standard input; `null` if nothing is.
import { text } from 'node:stream/consumers';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';

const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5);
process.stdout.write(JSON.stringify(await validator.validate(await text(process.stdin))));
