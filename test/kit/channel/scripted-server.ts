/** A server written by hand: a script says what each message of the client is met with. */
import { type ConnectOptions, connect, memoryChannels, type RevisionId } from 'tenon';
import type { Json } from './raw-connection.ts';

export type Script = (message: Json, say: (answer: unknown) => void) => void;

export function scripted(script: Script, options: ConnectOptions) {
  const [near, far] = memoryChannels();
  const heard: Json[] = [];
  const faults: unknown[] = [];
  const say = (answer: unknown): void => far.send(typeof answer === 'string' ? answer : JSON.stringify(answer));
  const ended = new Promise<string>((resolve) =>
    far.open({
      frame(text) {
        const message = JSON.parse(text) as Json;
        heard.push(message);
        script(message, say);
      },
      closed: () => resolve('ended'),
    }),
  );
  const client = connect(near, { ...options, fault: (error) => faults.push(error) });
  return { client, heard, faults, ended, say, hangUp: () => far.close() };
}

export const answer = ({ id }: Json, result: unknown): Json => ({ jsonrpc: '2.0', id, result });

/** Opens as a server of a revision does, then hands every request on. Results are given as sessions have them. */
export function scriptedAt(
  revision: RevisionId,
  capabilities: Json,
  results: (message: Json, say: (answer: unknown) => void) => Json | undefined,
  options: ConnectOptions = {},
) {
  const kept = { ttlMs: 0, cacheScope: 'private' };
  const serverInfo = { name: 'by hand', version: '1' };
  const script: Script = (message, say) => {
    if (message.id === undefined || message.method === undefined) return;
    if (message.method === 'initialize') {
      return say(answer(message, { protocolVersion: revision, capabilities, serverInfo }));
    }
    const own =
      message.method === 'server/discover' ? { supportedVersions: [revision], capabilities } : results(message, say);
    if (own !== undefined)
      say(answer(message, revision === '2026-07-28' ? { resultType: 'complete', ...kept, ...own } : own));
  };
  return scripted(script, { ...options, revisions: [revision] });
}
