/** The steps of a tour, which the page shows and ticks off. */

/** A step of a tour: the page names it, opens what it is about, and ticks it off. */
export interface TourStep {
  /** Such as `answer`. */
  readonly id: string;
  /** A few words. */
  readonly title: string;
  /** What to do, in a sentence or two. Text between backticks is code. */
  readonly hint: string;
  /** What a click opens, filled in: a tool, a resource, or the timeline if neither is set. */
  readonly opens: {
    /** The name of a tool. */
    readonly tool?: string;
    /** Its arguments. */
    readonly arguments?: Readonly<Record<string, unknown>>;
    /** The protocol version to call it with. */
    readonly protocolVersion?: string;
    /** The URI of a resource. */
    readonly resource?: string;
  };
  /** When it is done. */
  readonly doneBy: /** A call of the tool has a result; with `versions`, in that many protocol versions. */
    | { readonly tool: string; readonly versions?: number }
    /** A call of the tool was refused. */
    | { readonly refused: string }
    /** The resource was read. */
    | { readonly resource: string }
    /** A moment of the past was looked at. */
    | { readonly moment: true }
    /** A call was copied in this form. */
    | { readonly copied: 'tenon command' | 'curl' | 'code' | 'client configuration' };
}
