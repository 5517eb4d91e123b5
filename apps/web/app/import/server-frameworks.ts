import { isRecord } from '@vitrine/project';

/** A framework whose pages are rendered by a server or built by a tool of its own. */
export interface ServerFramework {
  readonly name: string;
  /** How its project becomes static files: the words after "Build a static site". */
  readonly how: string;
}

const frameworks: readonly (readonly [packages: readonly string[], ServerFramework])[] = [
  [
    ['next'],
    { name: 'Next.js', how: "with output: 'export' in next.config, and import the folder out" },
  ],
  [
    ['nuxt', 'nuxt3'],
    { name: 'Nuxt', how: 'with nuxt generate, and import the folder .output/public' },
  ],
  [
    ['@sveltejs/kit'],
    { name: 'SvelteKit', how: 'with @sveltejs/adapter-static, and import the folder build' },
  ],
  [['astro'], { name: 'Astro', how: 'with astro build, and import the folder dist' }],
  [
    ['@remix-run/dev', '@remix-run/react', '@remix-run/node'],
    { name: 'Remix', how: 'in SPA mode (ssr: false), and import the folder build/client' },
  ],
  [
    ['@react-router/dev'],
    {
      name: 'React Router in framework mode',
      how: 'with ssr: false in react-router.config, and import the folder build/client',
    },
  ],
  [
    ['@tanstack/react-start', '@tanstack/solid-start'],
    { name: 'TanStack Start', how: 'with prerendering, and import the folder dist/client' },
  ],
  [
    ['@solidjs/start', 'solid-start'],
    { name: 'SolidStart', how: 'with the preset static, and import the folder .output/public' },
  ],
  [
    ['@builder.io/qwik-city', '@qwik.dev/router'],
    { name: 'Qwik City', how: 'with its static adapter, and import the folder dist' },
  ],
  [
    ['@angular/core'],
    { name: 'Angular', how: 'with ng build, and import the folder dist/NAME/browser' },
  ],
  [['ember-source'], { name: 'Ember', how: 'with ember build, and import the folder dist' }],
  [['gatsby'], { name: 'Gatsby', how: 'with gatsby build, and import the folder public' }],
  [
    ['@docusaurus/core'],
    { name: 'Docusaurus', how: 'with docusaurus build, and import the folder build' },
  ],
  [
    ['vitepress'],
    { name: 'VitePress', how: 'with vitepress build, and import the folder .vitepress/dist' },
  ],
  [['@11ty/eleventy'], { name: 'Eleventy', how: 'with eleventy, and import the folder _site' }],
];

/**
 * Finds the framework of a project that has no page to open. Undefined for others.
 *
 * @param paths Paths of its files.
 * @param manifest Its package.json, parsed.
 */
export function findServerFramework(
  paths: readonly string[],
  manifest: unknown,
): ServerFramework | undefined {
  const hasPage = paths.some((path) => /^(?:public\/)?index\.(?:html?|md)$/.test(path));
  if (hasPage || !isRecord(manifest)) return undefined;
  const { dependencies, devDependencies } = manifest;
  const has = (name: string) =>
    [dependencies, devDependencies].some((each) => isRecord(each) && Object.hasOwn(each, name));
  return frameworks.find(([packages]) => packages.some(has))?.[1];
}
