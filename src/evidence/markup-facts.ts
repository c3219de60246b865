/** Facts about the parts of a document that the reading `dom` lacks. */

/** Attributes of a submit button that replace those of its form; null if absent. */
export interface Submitter {
  /** Absolute URL. */
  readonly action: string | null;
  /** Lower case, as written. */
  readonly method: string | null;
}

/** Form with a password field that browsers would send: it has a name and is enabled. */
export interface PasswordForm {
  /** Absolute URL; null without an action attribute. */
  readonly action: string | null;
  /** Lower case, as written; null without a method attribute. */
  readonly method: string | null;
  /** Submit buttons of the form, at most `submittersMax`. */
  readonly submitters: readonly Submitter[];
}

/** First parts of the document, enough to recognise the page as a server's own. */
export interface DocumentOutline {
  readonly title: string;
  /** Text of the first h1 element; empty without one. */
  readonly heading: string;
  /** Lower-case names of the first elements in the body. */
  readonly bodyElements: readonly string[];
  /** First links, with the href attribute and the text as written. */
  readonly links: readonly OutlineLink[];
  /** The last link of the document; null without a link. */
  readonly lastLink: OutlineLink | null;
}

export interface OutlineLink {
  readonly href: string;
  readonly text: string;
}

/** Read at the same time as `dom`. Older evidence lacks this reading. */
export interface MarkupFacts {
  /** Submit buttons with a formaction attribute: its absolute URL, and the method that applies (HTML standard, section 4.10.19.6). */
  readonly formActions: readonly { readonly action: string; readonly method: string }[];
  readonly formActionsDropped: number;
  /** Number of password fields, with those outside of forms. */
  readonly passwordFields: number;
  readonly passwordForms: readonly PasswordForm[];
  readonly passwordFormsDropped: number;
  /** Contents of the meta elements named generator. */
  readonly generators: readonly string[];
  readonly generatorsDropped: number;
  /** Absolute URLs of the link elements of type icon. */
  readonly icons: readonly string[];
  readonly outline: DocumentOutline;
}
