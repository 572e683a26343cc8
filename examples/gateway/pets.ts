/** An HTTP API, which knows nothing of MCP: pets.yaml describes it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const pets = [
  { id: 1, name: 'Rex', kind: 'dog' },
  { id: 2, name: 'Tom', kind: 'cat' },
];

export async function startPets(key: string): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://pets');
    const kind = searchParams.get('kind');
    const one = /^\/pets\/(\d+)$/.exec(pathname)?.[1];
    const found =
      one === undefined
        ? pets.filter((pet) => kind === null || pet.kind === kind)
        : pets.find(({ id }) => id === Number(one));
    const status = request.headers['x-api-key'] !== key ? 401 : found === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? found : { error: status }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
