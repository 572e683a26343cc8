/** The steps of connecting, in their order. An error of connecting names the step that failed; `tenon doctor` runs them. */
export const connectSteps = {
  target: 'The target is a URL, a command or a server that can be used.',
  start: 'The program of the server starts, and does not exit.',
  resolve: 'The host name has an address.',
  connect: 'A process listens at the port of the address.',
  tls: 'The connection is encrypted, and the certificate is valid.',
  endpoint: 'The URL answers like an MCP server.',
  authorize: 'The server accepts the credentials.',
  negotiate: 'Client and server use the same protocol version.',
  capabilities: 'The server offers what is required of it.',
} as const satisfies Record<string, string>;

/** A step of connecting, such as `start` or `tls`. */
export type ConnectStep = keyof typeof connectSteps;
