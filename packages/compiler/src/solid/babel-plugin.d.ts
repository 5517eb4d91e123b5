declare module 'babel-plugin-jsx-dom-expressions' {
  import type { PluginTarget } from '@babel/core';
  /** The Babel plugin of Solid, which has no types of its own. */
  const plugin: PluginTarget;
  export default plugin;
}
