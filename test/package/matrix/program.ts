/** The program of the matrix: a server that is called over HTTP and in memory. It runs as ESM and as CommonJS. */
import { type ConnectTarget, connect, createServer, serveHttp, TenonError, tool, toText } from 'tenon';

const server = createServer({ name: 'weather', version: '1.0.0', tools: { now: tool({}, () => 'sun') } });

async function call(target: ConnectTarget): Promise<string> {
  const client = await connect(target);
  try {
    return toText(await client.tools.call('now'));
  } finally {
    await client.close();
  }
}

/** A class is a value and a type. */
const codeOf = (error: TenonError): string => (error instanceof TenonError ? error.code : 'other');

async function main(): Promise<void> {
  const service = await serveHttp(server, { port: 0 });
  const refused = await call('ftp://weather.example').catch(codeOf);
  console.log(`HTTP: ${await call(service.url)}, memory: ${await call(server)}, refused: ${refused}`);
  await service.close();
}

void main();
