/** Schema of the facts about HTTP answers outside the browser. */
import type {
  CrossOriginFacts,
  HeaderField,
  HttpAnswer,
  MailMtaStsPolicyFacts,
  PlainHttpFacts,
  SecurityTxtFacts,
} from "../../evidence/http-facts.ts";
import {
  headerFieldsMax,
  headerNameCharsMax,
  headerValueCharsMax,
  headerValueCharsMaxHighest,
  hopsMax,
  mtaStsPolicyBytesMax,
  urlCharsMax,
  wellKnownBytesMax,
} from "../../evidence/limits.ts";
import { count, fields, flag, list, literalOf, orNull, schemaFor, text } from "./fields.ts";

/** The well-known place and the legacy one. */
const securityTxtAttemptsMax = 2;

export const url = text(urlCharsMax);
/** Value of a header field or content of a meta element, at the highest limit of an operator. */
export const headerValue = text(headerValueCharsMaxHighest);

const headerField = schemaFor<HeaderField>()(fields({ name: text(headerNameCharsMax), value: headerValue, truncated: flag }));
const headers = list(headerField, headerFieldsMax);

export const answerFields = { url, status: count, headers, headersDropped: count };
export const answerSchema = schemaFor<HttpAnswer>()(fields(answerFields));

const plainHttp = schemaFor<PlainHttpFacts>()(
  fields({
    outcome: literalOf("custom-port", "refused", "answered"),
    answers: list(answerSchema, hopsMax),
    stoppedBecause: orNull(literalOf("too-many-hops", "connection-failed", "bad-location")),
  }),
);

const crossOrigin = schemaFor<CrossOriginFacts>()(fields({ url, status: count, originSent: url, headers }));

const contentType = orNull(text(headerValueCharsMax));

const mailMtaStsPolicy = schemaFor<MailMtaStsPolicyFacts>()(
  fields({
    url,
    unavailableBecause: orNull(literalOf("no-host", "refused", "certificate-not-accepted")),
    status: count,
    contentType,
    body: text(mtaStsPolicyBytesMax),
    truncated: flag,
  }),
);

const securityTxt = schemaFor<SecurityTxtFacts>()(
  fields({
    attempts: list(
      fields({ url, finalUrl: url, status: count, contentType, body: text(wellKnownBytesMax), truncated: flag }),
      securityTxtAttemptsMax,
    ),
  }),
);

/** By name of the reading. */
export const httpSchemas = { plainHttp, crossOrigin, mailMtaStsPolicy, securityTxt };
