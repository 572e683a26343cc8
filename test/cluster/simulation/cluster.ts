/** The nodes of a simulated cluster: started, paused, drained and killed by the schedule. */
import { toFetchHandler } from 'tenon';
import type { Server } from 'tenon/server';
import type { Store } from 'tenon/store';
import type { World } from './faults.ts';
import type { Listening } from './network.ts';
import { NodeLife } from './node-life.ts';
import type { PlantedFault } from './planted-faults.ts';
import { type Observer, StoreLink } from './store-link.ts';
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

/** What the nodes of a cluster are made of. */
export interface ClusterPlan {
  /** Connects a node to the store that all share. */
  connect(): Promise<Store & { close?(): unknown }>;
  createServer(life: NodeLife, world: World): Server;
  /** A fault of the store that the checker must find. */
  readonly planted?: PlantedFault | undefined;
  readonly deadNodeMs?: number | undefined;
  /** Sees every operation that the store acknowledged. */
  readonly observe?: Observer;
}

export interface Cluster {
  /** All that were started and not killed. */
  readonly nodes: readonly SimulatedNode[];
  start(): Promise<void>;
  kill(node: SimulatedNode): void;
  drain(node: SimulatedNode): Promise<void>;
  pause(node: SimulatedNode): void;
  resume(node: SimulatedNode): void;
  /** Something changed, as this node sees it. */
  change(node: SimulatedNode, topic: string): void;
}

export function createCluster(world: World, plan: ClusterPlan): Cluster {
  const { recorder } = world;
  const versions = new Map<string, number>();
  let nodes: SimulatedNode[] = [];
  let started = 0;

  async function start(): Promise<void> {
    const life = new NodeLife(`n${++started}`);
    const store = await plan.connect();
    life.onKilled(() => void store.close?.());
    const link = new StoreLink(store, life, world, plan);
    const server = plan.createServer(life, world);
    const handle = toFetchHandler(server, {
      store: link.store,
      authenticate: (request) => request.header('authorization') ?? undefined,
      timeouts: { inputMs: 20_000, deadNodeMs: plan.deadNodeMs ?? 4000, shutdownMs: 3000 },
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
