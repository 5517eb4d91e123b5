/** A minimal package host: one package in two versions that creates elements from JSX. Its published file `classic.js` sets a global. */

const elements = (version: string) => `
export const version = ${JSON.stringify(version)};
export const Fragment = (props) => props.children;
export function jsxDEV(type, { children, ...props }) {
  const inner = [children].flat(Infinity).filter((child) => child !== undefined);
  if (typeof type === 'function') return type({ ...props, children: inner });
  const element = document.createElement(type);
  for (const [name, value] of Object.entries(props))
    if (name.startsWith('on')) element[name.toLowerCase()] = value;
    else element.setAttribute(name, value);
  element.append(...inner);
  return element;
}
`;

/** Response to `/npm/…`, for modules and for styles. */
export function answerPackage(pathname: string): Response | undefined {
  const [, version, subpath = ''] =
    /^\/npm\/tiny-jsx@([\d.]+)~[a-z2-7]{16}(\/.*)?$/.exec(pathname) ?? [];
  if (version === undefined) return answerPart(pathname);
  if (subpath === '/-/classic.js')
    return respond(`globalThis.classic = 'classic ${version}';`, 200);
  const isMain = subpath === '/jsx-dev-runtime' || subpath === '';
  const text = subpath === '/unlinkable' ? unlinkable : isMain ? elements(version) : '';
  return respond(text, subpath === '/none' ? 404 : 200);
}

const partUrl = `/npm/tiny-part@2.0.0~${'a'.repeat(16)}/sub`;

/** A module that imports what another package doesn't have. */
const unlinkable = `import { absent } from "${partUrl}?names=absent"; absent;`;

function answerPart(pathname: string): Response | undefined {
  return pathname === partUrl ? respond('export const present = 1;', 200) : undefined;
}

function respond(text: string, status: number): Response {
  return new Response(text, {
    status,
    headers: {
      'Content-Type': 'text/javascript',
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  });
}

/** The lockfile that npm would write for a project that depends on it. */
export function lockFile(version: string): string {
  return JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { 'tiny-jsx': version } },
      'node_modules/tiny-jsx': {
        version,
        resolved: `https://registry.example/tiny-jsx-${version}.tgz`,
        integrity: `sha512-${'a'.repeat(86)}==`,
      },
    },
  });
}
