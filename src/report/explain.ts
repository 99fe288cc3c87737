/** What `explain` says about a rule; the page shows the same text. A list is shown as one. */
export interface Explanation {
  readonly asks: string | readonly string[];
  readonly sends: string | readonly string[];
  readonly judged: string | readonly string[];
  readonly causes: string | readonly string[];
  readonly fixes: string | readonly string[];
}

/** Gives the text of a rule id, `undefined` for a rule that it does not know. */
export type Explain = (ruleId: string) => Explanation | undefined;
