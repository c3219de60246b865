/** Recognises language tags (RFC 5646). */

/** RFC 5646 section 2.1. No language subtag of 4 to 8 letters is registered, so that only 2 and 3 letters name a language. */
const langtag =
  /^([a-z]{2,3})(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?$/i;
const privateUse = /^x(?:-[a-z\d]{1,8})+$/i;
/** RFC 5646 section 2.1, "irregular": registered before this grammar. */
const irregular: readonly string[] = (
  "en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu " +
  "sgn-be-fr sgn-be-nl sgn-ch-de"
).split(" ");
/** Language subtags of two letters in the IANA registry. Country codes such as `us`, `jp` and `cz` are not among them. */
const shortLanguages: readonly string[] = (
  "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff " +
  "fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko " +
  "kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl " +
  "ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz " +
  "ve vi vo wa wo xh yi yo za zh zu"
).split(" ");

/** True for a tag that is well-formed and begins with a known language. Codes of three letters are not looked up. */
export function isLanguageTag(text: string): boolean {
  const language = langtag.exec(text)?.[1]?.toLowerCase();
  if (language === undefined) return privateUse.test(text) || irregular.includes(text.toLowerCase());
  return language.length === 3 || shortLanguages.includes(language);
}
