/** The nodes of a simulated cluster: started, paused, drained and killed by the schedule. */
import { toFetchHandler } from 'tenon';
import type { Server } from 'tenon/server';
import { createMemoryStore } from 'tenon/store';
import type { World } from './faults.ts';
import type { Listening } from './network.ts';
import { NodeLife } from './node-life.ts';
import type { PlantedFault } from './planted-faults.ts';
import { simulatedServer } from './server.ts';
import { StoreLink } from './store-link.ts';
import { now } from './virtual-time.ts';

/** After this time a change is stored. */
const storedMs = 1000;

export interface SimulatedNode extends Listening {
  readonly server: Server;
  readonly link: StoreLink;
  /** When something last changed there. */
  changedAt: number;
  drain(): Promise<void>;
}

export interface Cluster {
  /** All that were started and not killed. */
  readonly nodes: readonly SimulatedNode[];
  start(): void;
  kill(node: SimulatedNode): void;
  drain(node: SimulatedNode): Promise<void>;
  pause(node: SimulatedNode): void;
  resume(node: SimulatedNode): void;
  /** Something changed, as this node sees it. */
  change(node: SimulatedNode, topic: string): void;
}

export function createCluster(world: World, planted: PlantedFault | undefined): Cluster {
  const { recorder } = world;
  const shared = createMemoryStore();
  const versions = new Map<string, number>();
  let nodes: SimulatedNode[] = [];
  let started = 0;

  function start(): void {
    const life = new NodeLife(`n${++started}`);
    const link = new StoreLink(shared, life, world, planted);
    const server = simulatedServer(life, world);
    const handle = toFetchHandler(server, {
      store: link.store,
      authenticate: (request) => request.header('authorization') ?? undefined,
      timeouts: { inputMs: 20_000, nodeMs: 4000, shutdownMs: 3000 },
      onWarning: () => {},
    });
    recorder.record({ type: 'node', node: life.name, what: 'started' });
    nodes.push({ life, link, server, handle, isListening: true, changedAt: -storedMs, drain: () => handle.close() });
  }

  function remove(node: SimulatedNode): void {
    node.isListening = false;
    nodes = nodes.filter((each) => each !== node);
  }

  return {
    get nodes() {
      return nodes;
    },
    start,
    kill(node) {
      // A change that is not stored yet is lost with its node: no other one knows of it.
      if (now() - node.changedAt < storedMs) return;
      remove(node);
      recorder.record({ type: 'node', node: node.life.name, what: 'killed' });
      node.life.kill();
    },
    async drain(node) {
      if (!node.isListening) return;
      node.isListening = false;
      recorder.record({ type: 'node', node: node.life.name, what: 'draining' });
      await node.drain();
      await node.life.running();
      recorder.record({ type: 'node', node: node.life.name, what: 'drained' });
      // The process exits when everything is sent.
      setTimeout(() => {
        remove(node);
        node.life.kill();
      }, 500);
    },
    pause(node) {
      recorder.record({ type: 'node', node: node.life.name, what: 'paused' });
      node.life.pause();
    },
    resume(node) {
      if (!node.life.isPaused) return;
      recorder.record({ type: 'node', node: node.life.name, what: 'resumed' });
      node.life.resume();
    },
    change(node, topic) {
      const version = (versions.get(topic) ?? 0) + 1;
      versions.set(topic, version);
      node.changedAt = now();
      recorder.record({ type: 'change', node: node.life.name, topic, version });
      node.server.sendResourceUpdated(topic);
    },
  };
}
