/** Approvals that wait for the user of the page, who decides about them in development. */

/** An approval, as the page shows it. */
export interface WaitingApproval {
  readonly id: string;
  readonly tool: string;
  readonly server: string;
  /** The name of the caller; absent for one who has not signed in. */
  readonly caller?: string;
  /** The arguments as JSON, with characters escaped that are not seen. */
  readonly arguments: string;
  /** Those with which the tool runs, if they are others. */
  readonly validated?: string;
  readonly rule?: string;
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}
