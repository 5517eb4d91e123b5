/** Tools by their whole name. They run in Node and bring hundreds of packages that no page imports. */
const tools = new Set(
  `@craco/craco @playwright/test @preact/preset-vite @tailwindcss/cli @tailwindcss/postcss
  @tailwindcss/vite @vue/tsconfig autoprefixer babel-jest babel-loader browserify concurrently
  cross-env css-loader cypress electron esbuild eslint file-loader gh-pages grunt gulp http-server
  husky jest jest-environment-jsdom jsdom karma less less-loader lint-staged live-server
  mini-css-extract-plugin node-sass nodemon npm-run-all parcel parcel-bundler playwright
  postcss-loader puppeteer react-app-rewired react-scripts rimraf rollup sass sass-embedded
  sass-loader serve snowpack source-map-explorer style-loader stylelint svelte-check svelte-loader
  svelte-preprocess ts-jest ts-loader ts-node tsup tsx turbo typescript-eslint url-loader vite vitest
  vue-loader vue-tsc webpack wrangler`.split(/\s+/),
);

/** Tools by the start of their name: plug-ins and presets of the tools above. */
const families =
  /^(?:@babel\/(?:cli$|core$|eslint-|plugin-|preset-)|@eslint\/|@parcel\/|@rollup\/|@svgr\/|@sveltejs\/vite-plugin-|@tsconfig\/|@typescript-eslint\/|@vitejs\/|@vitest\/|@vue\/(?:cli-|eslint-config-)|babel-p|eslint-|grunt-|gulp-|prettier-plugin-|rollup-plugin-|stylelint-|unplugin-|vite-|webpack-|.*-webpack-plugin$)/;

/** Packages that pages can import too, but that projects list with their tools to format and check. */
const developmentTools = new Set(['prettier', 'typescript']);

/**
 * Whether a dependency is a tool that builds, checks or tests projects: `vite`, `react-scripts`,
 * `eslint-plugin-react`. It stays in package.json and isn't resolved.
 * @param field The field that lists the dependency, such as `devDependencies`.
 */
export function isBuildTool(name: string, field = 'dependencies'): boolean {
  const isListed = tools.has(name) || families.test(name);
  return isListed || (field === 'devDependencies' && developmentTools.has(name));
}
