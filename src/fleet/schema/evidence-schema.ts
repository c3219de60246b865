/** Schema of all readings. A change that programs of the current version would refuse or misread raises `evidenceVersion`. */
import type { Facts } from "../../evidence/facts.ts";
import { dnsSchemas } from "./dns-schema.ts";
import { fields, schemaFor } from "./fields.ts";
import { httpSchemas } from "./http-schema.ts";
import { pageSchemas } from "./page-schema.ts";
import { tlsSchemas } from "./tls-schema.ts";

export const factsSchema = schemaFor<Facts>()(fields({ ...pageSchemas, ...httpSchemas, ...tlsSchemas, ...dnsSchemas }));
