/** Which nodes live, in SQLite: a row each. */
import type { NodeStore } from '../store/nodes/node-store.ts';
import type { Connection } from './connection.ts';

export function createSqliteNodes(connection: Connection, now: () => number): NodeStore {
  const insert = 'INSERT OR REPLACE INTO node VALUES (?, ?)';
  return {
    beat(node, ttlMs) {
      return connection.write(() => {
        const moment = now();
        connection.sql(insert).run(node, moment + ttlMs);
        connection.sql('DELETE FROM node WHERE until <= ?').run(moment);
        return connection
          .sql('SELECT name FROM node')
          .all()
          .map(({ name }) => name as string);
      });
    },
    leave: (node) => connection.write(() => void connection.sql('DELETE FROM node WHERE name = ?').run(node)),
  };
}
