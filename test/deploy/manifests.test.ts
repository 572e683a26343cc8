/** The manifests of the recipe of Kubernetes, checked against the schemas of Kubernetes. */
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { requires } from '../kit/requires.ts';
import { recipeFile } from './recipe.ts';
import { installed, whyNotInstalled } from './tools.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}
type Model = new (manifest: Manifest) => { validate(): void };

/** The problem of a manifest, or `undefined`. */
async function problemOf(manifest: Manifest): Promise<string | undefined> {
  const { apiVersion, kind } = manifest;
  const file = pathToFileURL(installed('deploy', `kubernetes-models/${apiVersion}/${kind}.js`)).href;
  const models = (await import(/* @vite-ignore */ file)) as Record<string, Model>;
  try {
    new (models[kind] as Model)(manifest).validate();
    return undefined;
  } catch (error) {
    return `${kind}: ${(error as Error).message}`;
  }
}

const manifestsIn = (text: string): Manifest[] => parseAllDocuments(text).map((each) => each.toJS() as Manifest);

it('the manifests are valid, and a wrong one is not', async (context) => {
  requires(context, whyNotInstalled('deploy'));
  const texts = ['weather.yaml', 'redis.yaml'].map((file) => recipeFile('kubernetes', file));
  const manifests = texts.flatMap(manifestsIn);
  expect(manifests.map(({ kind }) => kind)).toEqual([
    'Deployment',
    'Service',
    'PodDisruptionBudget',
    'Ingress',
    'StatefulSet',
    'Service',
    'NetworkPolicy',
  ]);
  for (const manifest of manifests) expect(await problemOf(manifest)).toBeUndefined();
  for (const [from, to] of [
    ['replicas: 2', "replicas: 'two'"],
    ['httpGet: { path: /health, port: http }', 'httpGet: { path: /health }'],
  ] as const) {
    const [wrong] = manifestsIn((texts[0] ?? '').replace(from, to));
    expect(await problemOf(wrong as Manifest)).toContain('Deployment: ');
  }
});
