/** Short forms of what rows send. */
import { lone, loneCall } from '../../kit/http/messages.ts';
import { envelope, request } from '../../kit/transport/raw-connection.ts';
import type { HttpStep, Json, Sent, Who } from './attack.ts';

/** A call of a tool, in memory. */
export const callTool = (name: string, args: Json = {}, as: Who = 'alice'): Sent => ({
  as,
  message: request('attack', 'tools/call', envelope({ name, arguments: args })),
});

/** Any other request, in memory. */
export const ask = (method: string, params: Json = {}, as: Who = 'alice'): Sent => ({
  as,
  message: request('attack', method, envelope(params)),
});

/** A call of a tool over HTTP, without a session. */
export const postCall = (name: string, args: Json = {}, meta: Json = {}): HttpStep => loneCall(name, args, meta);

/** Any other request over HTTP, without a session. */
export const post = (method: string, params: Json = {}, meta: Json = {}): HttpStep => lone(method, params, meta);
