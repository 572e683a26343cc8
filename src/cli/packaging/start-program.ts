/** Starts a program as a client does, without the variables of this process, and asks what it publishes. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Client } from '../../client/api/client.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { connect, type Target } from '../../node/connect.ts';
import type { Icon } from '../../protocol/generated/types/records.ts';
import { type DeclaredInput, placeholders } from './declared-inputs.ts';
import { invalidPackage } from './problems.ts';
import type { Files } from './zip.ts';

/** What a server says about itself to a client without credentials. */
export interface PublishedServer {
  readonly info: {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly icons?: readonly Icon[];
  };
  readonly tools: readonly { readonly name: string; readonly description?: string }[];
  readonly hasPrompts: boolean;
}

/**
 * How long a program that is packaged may take to start.
 * @limit command line
 * @beyond nothing is written
 * @code invalid-package
 */
const startMs = 30_000;

/** A bundle is unpacked into a folder of its own, where nothing else is installed. */
export async function startBundle(
  files: Files,
  program: string,
  env: readonly DeclaredInput[],
  signal: AbortSignal,
): Promise<PublishedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-bundle-'));
  try {
    for (const [path, content] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return await startProgram(folder, program, env, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How many of the last lines that a program prints are shown if it does not start. */
const shownLines = 10;

export async function startProgram(
  folder: string,
  program: string,
  env: readonly DeclaredInput[],
  signal: AbortSignal,
): Promise<PublishedServer> {
  const printed: string[] = [];
  const target: Target = {
    command: process.execPath,
    args: [join(folder, program)],
    cwd: folder,
    env: placeholders(env),
    stderr: (line) => {
      if (printed.push(line.replaceAll(folder, '.')) > shownLines) printed.shift();
    },
  };
  try {
    return await publishedBy(target, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof TenonError)) throw error;
    throw invalidPackage(
      [`${program} did not answer on standard streams: ${error.message}`, ...printed],
      'It is started with the variables of tenon.env alone. A server over HTTP needs tenon.remotes instead.',
    );
  }
}

/** What a client without credentials sees: names that others do not see are not published. */
export async function publishedBy(target: Target, signal: AbortSignal): Promise<PublishedServer> {
  const client = await connect(target, { signal, timeoutMs: startMs, reconnect: false });
  try {
    return await published(client);
  } finally {
    await client.close({ timeoutMs: 1000 });
  }
}

async function published({ serverInfo, capabilities, tools }: Client): Promise<PublishedServer> {
  if (serverInfo === undefined) throw invalidPackage(['The server does not say its name and version.']);
  const listed = capabilities.tools === undefined ? [] : await tools.list().all();
  return { info: serverInfo, tools: listed, hasPrompts: capabilities.prompts !== undefined };
}
