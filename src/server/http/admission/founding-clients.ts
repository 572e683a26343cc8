/** What tells clients of the founding documents apart: they send no header of the protocol, and listen at an address of its own. */

/** What they want events to be called. */
export const foundingEvent = 'notification';

/** Whether a target or an address is that one. */
export const isEvents = (address: string): boolean => /^[^?]*\/events(\?|$)/.test(address);

/** Whether a request comes without any header of the protocol, as theirs do. Many programs say of themselves that they accept anything. */
export function isPlain(request: { header(name: string): string | undefined }): boolean {
  const accept = request.header('accept');
  return (accept === undefined || accept.trim() === '*/*') && request.header('mcp-protocol-version') === undefined;
}
