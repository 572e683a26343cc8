/** The backend of an inspector in a process of its own: sends its link, and what it uses when it is asked. */
import { serveInspector } from '../../dist/inspector.js';

const { url } = await serveInspector();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMs: (user + system) / 1000, memoryMb: process.memoryUsage.rss() / 2 ** 20 });
});
process.send({ url });
