/** A store, three nodes and nginx as processes of this machine, on loopback; all files in one temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requestsTo, startNginx } from './nginx.ts';
import { type Program, startProgram } from './programs.ts';
import { type ClusterStore, startStore } from './store.ts';

const nodeProgram = fileURLToPath(new URL('./node.ts', import.meta.url));

export const nodeNames = ['node 1', 'node 2', 'node 3'] as const;
type NodeName = (typeof nodeNames)[number];

export interface Cluster {
  /** The URL that clients use: nginx. */
  readonly url: string;
  /** Ends a node at once, as a crash does. */
  killNode(name: NodeName): Promise<void>;
  /** Starts a node that was killed, on its old port. */
  startNode(name: NodeName): Promise<void>;
  /** How many requests nginx has sent to each node, as text. */
  requestsByNode(): string;
  close(): Promise<void>;
}

/** `print` gets a line for each process. */
export async function startCluster(port: number, print: (line: string) => void): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-cluster-'));
  const secret = crypto.randomUUID() + crypto.randomUUID();
  const ports = new Map<NodeName, number>();
  const nodes = new Map<NodeName, Program>();
  const started: { store?: ClusterStore; nginx?: Program } = {};
  const portOf = (name: NodeName): number => ports.get(name) ?? 0;

  async function startNode(name: NodeName): Promise<void> {
    const env = {
      NODE_NAME: name,
      PORT: String(portOf(name)),
      STORE: started.store?.url ?? '',
      SECRET: secret,
    };
    const args = ['--import', import.meta.resolve('tsx'), nodeProgram];
    const node = await startProgram(process.execPath, { args, env, ready: /^ready / });
    const url = new URL(node.readyLine.slice('ready '.length));
    nodes.set(name, node);
    ports.set(name, Number(url.port));
    print(`${name}  ${url.href}, process ${node.pid}`);
  }

  async function close(): Promise<void> {
    // Clients lose nginx first, then the nodes finish what runs, and the store ends last.
    await started.nginx?.end('SIGTERM');
    await Promise.all([...nodes.values()].map((node) => node.end('SIGTERM')));
    await started.store?.program?.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    started.store = await startStore(folder);
    print(started.store.shown);
    // All of them are waited for, so that none is left behind if one fails.
    const starts = await Promise.allSettled(nodeNames.map(startNode));
    for (const start of starts) if (start.status === 'rejected') throw start.reason;
    started.nginx = await startNginx(folder, port, nodeNames.map(portOf));
    print(`nginx   http://127.0.0.1:${port}/mcp, process ${started.nginx.pid}`);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    startNode,
    killNode: async (name) => nodes.get(name)?.end('SIGKILL'),
    requestsByNode: () => nodeNames.map((name) => `${name} ${requestsTo(folder, portOf(name))}`).join(', '),
    close,
  };
}
