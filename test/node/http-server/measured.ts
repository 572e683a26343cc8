/** Starts the measured server as a process, with a client that sends over a few persistent connections. */

import { Agent, request as begin } from 'node:http';
import { connect } from 'node:net';
import type { Headers } from '../../kit/http/raw-http.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { startRaw } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

export interface Measurement {
  readonly heap: number;
  readonly sessions: number;
  readonly streams: number;
  readonly activeCalls: number;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers: Headers;
  readonly body: string | Buffer;
  /** Disconnects as soon as the response begins. */
  readonly disconnects?: boolean;
}

export interface Received {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export async function startMeasured() {
  const program = await bundledProgram('measured-server', 'http-server');
  const server = startRaw(program, { nodeArgs: ['--expose-gc', '--no-flush-bytecode'] });
  await server.wrote('serving http');
  const url = new URL(/serving (\S+) /.exec(server.stderr())?.[1] ?? '');
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });

  function send({ method = 'POST', headers, body, disconnects = false }: RawRequest): Promise<Received> {
    const given = Object.entries({ 'content-type': 'application/json', ...headers });
    const sent = Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<string, string>;
    const received = new Promise<Received>((resolve, reject) => {
      const outgoing = begin(url, { method, headers: sent, agent }, (message) => {
        const finish = (text: string) => resolve({ status: message.statusCode ?? 0, text, headers: message.headers });
        if (disconnects) {
          message.on('error', () => {});
          message.destroy();
          return finish('');
        }
        let text = '';
        message.setEncoding('utf8');
        message.on('data', (part: string) => {
          text += part;
        });
        message.on('end', () => finish(text));
        message.on('error', reject);
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => reject(error));
      outgoing.end(body);
    });
    return withTimeout(received, `the answer to ${method} ${body.slice(0, 200)}`);
  }

  /** Writes bytes to a new connection; returns what came back until it was closed, or disconnects at once. */
  function write(bytes: string, disconnects = false): Promise<string> {
    const received = new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(url.port), url.hostname, () => {
        socket.write(bytes, () => {
          if (disconnects) socket.destroy();
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
    send,
    write,
    /** Heap and stats of the server; `later` first sets its clock an hour ahead. */
    async measure(when: 'now' | 'later' = 'now'): Promise<Measurement> {
      const answer = await fetch(new URL(`/${when}`, url));
      return (await answer.json()) as Measurement;
    },
    end(): void {
      agent.destroy();
      server.child.kill();
    },
  };
}
