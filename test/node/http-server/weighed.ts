/** The weighed server as a process, and a client that sends by a few connections that stay. */

import { Agent, request as begin } from 'node:http';
import { connect } from 'node:net';
import type { Headers } from '../../kit/http/raw-http.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { startRaw } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

export interface Weight {
  readonly heap: number;
  readonly sessions: number;
  readonly streams: number;
  readonly activeCalls: number;
}

export interface Shot {
  readonly method?: string;
  readonly headers: Headers;
  readonly body: string | Buffer;
  /** Leaves as soon as the response begins. */
  readonly leaves?: boolean;
}

export interface Received {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export async function startWeighed() {
  const program = await bundledProgram('weighed-server', 'http-server');
  const server = startRaw(program, { nodeArgs: ['--expose-gc', '--no-flush-bytecode'] });
  await server.wrote('serving http');
  const url = new URL(/serving (\S+) /.exec(server.stderr())?.[1] ?? '');
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });

  function shoot({ method = 'POST', headers, body, leaves = false }: Shot): Promise<Received> {
    const given = Object.entries({ 'content-type': 'application/json', ...headers });
    const sent = Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<string, string>;
    const received = new Promise<Received>((resolve, reject) => {
      const outgoing = begin(url, { method, headers: sent, agent }, (message) => {
        const notify = (text: string) => resolve({ status: message.statusCode ?? 0, text, headers: message.headers });
        if (leaves) {
          message.on('error', () => {});
          message.destroy();
          return notify('');
        }
        let text = '';
        message.setEncoding('utf8');
        message.on('data', (part: string) => {
          text += part;
        });
        message.on('end', () => notify(text));
        message.on('error', reject);
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => reject(error));
      outgoing.end(body);
    });
    return withTimeout(received, `the answer to ${method} ${body.slice(0, 200)}`);
  }

  /** Writes bytes to a connection of their own; gives what came back until it was closed, or leaves at once. */
  function write(bytes: string, leaves = false): Promise<string> {
    const received = new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(url.port), url.hostname, () => {
        socket.write(bytes, () => {
          if (leaves) socket.destroy();
        });
      });
      socket.on('data', (part) => {
        text += part.toString();
        if (/^HTTP\/1\.1 \d/.test(text)) socket.destroy();
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
    });
    return withTimeout(received, 'the end of a connection');
  }

  return {
    url: url.href,
    shoot,
    write,
    /** What it holds; `later` is an hour from now. */
    async weigh(when: 'now' | 'later' = 'now'): Promise<Weight> {
      const answer = await fetch(new URL(`/${when}`, url));
      return (await answer.json()) as Weight;
    },
    end(): void {
      agent.destroy();
      server.child.kill();
    },
  };
}
