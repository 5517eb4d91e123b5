/** Jest's way from the suites' TypeScript to what Node runs. Types are not looked at. */
const { transformSync } = require('esbuild');

module.exports = {
  process(source, path) {
    const options = { loader: 'ts', format: 'cjs', target: 'es2022', sourcemap: 'inline' };
    return transformSync(source, { ...options, sourcefile: path });
  },
};
