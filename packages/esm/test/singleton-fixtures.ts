/*
 * Small packages in the style of the singleton packages (React, Preact, Vue, three, Yjs) and of their
 * dependents. Each copy of a singleton records itself in `copies` when it is loaded. Each dependent
 * exports `uses`: pairs of a singleton's name and the object that it got from it.
 */
import type { FakeRegistry, PublishedPackage } from '@vitrine/testing/registry';

export function publishSingletons({ publish }: FakeRegistry): void {
  for (const version of ['17.0.2', '18.3.1', '19.3.1']) reactOf(version).forEach(publish);
  for (const version of ['10.0.0', '11.2.0']) publish(preactOf(version));
  for (const version of ['3.4.0', '3.5.0']) vueOf(version).forEach(publish);
  for (const version of ['0.150.0', '0.187.0']) publish(threeOf(version));
  for (const version of ['12.0.0', '13.6.0']) publish(yjsOf(version));
  users.forEach(publish);
}

const noteCopy = (name: string, version: string) =>
  `(globalThis.copies ??= []).push("${name}@${version}");`;

/** CommonJS that selects a file by NODE_ENV, hidden from the lexer, and requires itself by name. */
function reactOf(version: string): PublishedPackage[] {
  const variant = `${noteCopy('react', version)} exports.self = {};`;
  const react = {
    name: 'react',
    version,
    files: {
      'index.js':
        'module.exports = process.env.NODE_ENV === "production" ? require("./cjs/production.js") : require("./cjs/development.js");',
      'cjs/production.js': variant,
      'cjs/development.js': variant,
      'jsx-runtime.js': 'const React = require("react"); exports.jsx = () => React.self;',
    },
    manifest: {
      exports: {
        '.': './index.js',
        './jsx-runtime': './jsx-runtime.js',
        './package.json': './package.json',
      },
    },
  };
  const dom = {
    name: 'react-dom',
    version,
    files: {
      'index.js': 'exports.uses = [["react", require("react").self]];',
      'client.js': 'exports.createRoot = () => require("react-dom").uses[0][1];',
    },
    manifest: { peerDependencies: { react: `^${version}` } },
  };
  return [react, dom];
}

function preactOf(version: string): PublishedPackage {
  return {
    name: 'preact',
    version,
    files: {
      'dist/preact.module.js': `${noteCopy('preact', version)} export const self = {};`,
      'dist/preact.js': `${noteCopy('preact', version)} exports.self = {};`,
      'hooks/dist/hooks.module.js': 'export { self as own } from "preact";',
      'compat/dist/compat.module.js':
        'export { self } from "preact"; export { own } from "preact/hooks";',
    },
    manifest: {
      exports: {
        '.': { import: './dist/preact.module.js', require: './dist/preact.js' },
        './hooks': { import: './hooks/dist/hooks.module.js' },
        './compat': { import: './compat/dist/compat.module.js' },
      },
    },
  };
}

/** A package that only re-exports another one of exactly its version. */
function vueOf(version: string): PublishedPackage[] {
  const core = {
    name: '@vue/runtime-core',
    version,
    files: { 'index.js': `${noteCopy('vue', version)} export const self = {};` },
    manifest: { type: 'module', module: 'index.js' },
  };
  const vue = {
    name: 'vue',
    version,
    files: {
      'dist/vue.esm.js': 'export * from "@vue/runtime-core";',
      'index.js': 'exports.self = require("@vue/runtime-core").self;',
    },
    manifest: {
      dependencies: { '@vue/runtime-core': version },
      exports: { '.': { import: './dist/vue.esm.js', require: './index.js' } },
    },
  };
  return [core, vue];
}

/** A package whose CommonJS form is a different program from its ES modules, which share a core. */
function threeOf(version: string): PublishedPackage {
  return {
    name: 'three',
    version,
    files: {
      'build/three.core.js': `${noteCopy('three', version)} export const self = {};`,
      'build/three.module.js': 'export * from "./three.core.js"; export const renderer = "webgl";',
      'build/three.webgpu.js': 'export * from "./three.core.js"; export const renderer = "webgpu";',
      'build/three.cjs': `${noteCopy('three', version)} exports.self = {};`,
      'examples/jsm/controls/Orbit.js': 'import { self } from "three"; export const orbits = self;',
    },
    manifest: {
      type: 'module',
      exports: {
        '.': { import: './build/three.module.js', require: './build/three.cjs' },
        './webgpu': './build/three.webgpu.js',
        './addons/*': './examples/jsm/*',
      },
    },
  };
}

function yjsOf(version: string): PublishedPackage {
  return {
    name: 'yjs',
    version,
    files: {
      'dist/yjs.mjs': `${noteCopy('yjs', version)} export const self = {};`,
      'dist/yjs.cjs': `${noteCopy('yjs', version)} exports.self = {};`,
    },
    manifest: {
      exports: { '.': { import: './dist/yjs.mjs', require: './dist/yjs.cjs' } },
    },
  };
}

/** A package of one ES module. */
function esm(name: string, text: string, manifest: Readonly<Record<string, unknown>>) {
  const files = { 'index.js': text };
  return { name, version: '1.0.0', files, manifest: { type: 'module', ...manifest } };
}

/** A package of one CommonJS file. */
function cjs(name: string, text: string, manifest: Readonly<Record<string, unknown>>) {
  return { name, version: '1.0.0', files: { 'index.js': text }, manifest };
}

const users: readonly PublishedPackage[] = [
  esm('hooks', 'import * as React from "react"; export const uses = [["react", React.self]];', {
    peerDependencies: { react: '>=17' },
  }),
  cjs('forms', 'exports.uses = [["react", require("react").self]];', {
    dependencies: { react: '^18.0.0' },
  }),
  cjs(
    'chart',
    '(function (root, factory) { typeof exports === "object" ? factory(exports, require("react")) : factory(root.chart = {}, root.React); })(this, (own, React) => { own.uses = [["react", React.self]]; });',
    { peerDependencies: { react: '^17 || ^18 || ^19' } },
  ),
  esm('kit', 'import { jsx } from "react/jsx-runtime"; export const uses = [["react", jsx()]];', {
    peerDependencies: { react: '*' },
  }),
  esm(
    'portal',
    'import { createRoot } from "react-dom/client"; export const uses = [["react", createRoot()]];',
    { peerDependencies: { 'react-dom': '*' } },
  ),
  esm(
    'late',
    'const { default: React } = await import("react"); export const uses = [["react", React.self]];',
    {
      dependencies: { react: '^17.0.0' },
    },
  ),
  esm(
    'grid',
    'import { uses as a } from "hooks"; import { uses as b } from "forms"; export const uses = [...a, ...b];',
    { dependencies: { hooks: '1', forms: '1' } },
  ),
  esm(
    'signals',
    'import { self } from "preact"; import { own } from "preact/hooks"; export const uses = [["preact", self], ["preact", own]];',
    { dependencies: { preact: '^10.0.0' } },
  ),
  cjs('tiny', 'exports.uses = [["preact", require("preact").self]];', {
    peerDependencies: { preact: '>=10' },
  }),
  esm('stores', 'import { self } from "vue"; export const uses = [["vue", self]];', {
    peerDependencies: { vue: '^3.0.0' },
  }),
  cjs('router', 'exports.uses = [["vue", require("vue").self]];', {
    dependencies: { vue: '~3.4.0' },
  }),
  esm('canvas', 'import { self } from "@vue/runtime-core"; export const uses = [["vue", self]];', {
    dependencies: { '@vue/runtime-core': '^3.4.0' },
  }),
  esm(
    'fiber',
    'import * as THREE from "three"; import React from "react"; export const uses = [["three", THREE.self], ["react", React.self]];',
    { peerDependencies: { three: '>=0.150', react: '>=18' } },
  ),
  esm(
    'orbit',
    'import { orbits } from "three/addons/controls/Orbit.js"; export const uses = [["three", orbits]];',
    { peerDependencies: { three: '*' } },
  ),
  esm('gpu', 'import { self } from "three/webgpu"; export const uses = [["three", self]];', {
    dependencies: { three: '~0.150.0' },
  }),
  cjs('loader', 'exports.uses = [["three", require("three").self]];', {
    dependencies: { three: '^0.150.0' },
  }),
  esm('binding', 'import * as Y from "yjs"; export const uses = [["yjs", Y.self]];', {
    peerDependencies: { yjs: '^13.0.0' },
  }),
  cjs('provider', 'exports.uses = [["yjs", require("yjs").self]];', {
    dependencies: { yjs: '^12.0.0' },
  }),
];

/** Twenty projects: the dependencies in their package.json. */
export const mixes: readonly string[] = [
  'react react-dom hooks',
  'react react-dom forms',
  'react react-dom@19 chart kit portal',
  'react@18 react-dom@18 hooks forms chart',
  'react@17 react-dom@17 hooks chart late',
  'hooks forms late',
  'react react-dom grid late kit',
  'forms grid portal react react-dom',
  'preact signals tiny',
  'preact@10 signals tiny react hooks',
  'vue stores',
  'vue router stores',
  'vue@3.4 canvas stores',
  'vue canvas router react kit',
  'three orbit',
  'three orbit gpu loader',
  'three react fiber orbit',
  'three@0.150 react@18 fiber gpu loader forms',
  'yjs binding provider',
  'react react-dom vue preact three yjs grid stores signals fiber binding provider portal loader',
];
