/** The error whose message the model gets as the result of a tool. */

/**
 * Throw it in a tool handler: the result has `isError: true` and this text, for the model to read. The text of any
 * other error stays on the server.
 *
 * ```ts
 * tool({ inputSchema }, ({ city }) => {
 *   if (!cities.has(city)) throw new ToolError(`Unknown city: ${city}`);
 *   return forecast(city);
 * });
 * ```
 */
export class ToolError extends Error {
  /** Always `ToolError`. */
  override readonly name = 'ToolError';
}
