/**
 * The measured packages: exercises of packages/testing/src/corpus, selected by kind before any was
 * timed (frameworks, one large module, many small ones, CommonJS, styles, whole trees of packages).
 */
import { readExercises, type Exercise } from '@vitrine/testing/corpus/exercises';

const names = [
  'react',
  'preact',
  'vue',
  'lit',
  'three',
  'd3',
  'chart.js',
  'lodash-es',
  'rxjs',
  'zustand',
  'axios',
  'date-fns',
  'zod',
  'framer-motion',
  'gsap',
  '@mui/material',
  'marked',
  'highlight.js',
  'leaflet',
  'pixi.js',
  'matter-js',
  'xstate',
  'recharts',
  'jszip',
  'echarts',
];

export const packageSubjects: readonly Exercise[] = names.map((name) => {
  const found = readExercises('popular').find((exercise) => exercise.name === name);
  if (found === undefined) throw new Error(`There is no exercise of ${name}`);
  return found;
});

/** A page that renders with four libraries, like a first large project. */
export const fourLibraries: Exercise = {
  name: 'react, @mui/material, three and d3',
  packages: [
    'react',
    'react-dom',
    '@mui/material',
    '@emotion/react',
    '@emotion/styled',
    'three',
    'd3',
  ],
  script: `import { createElement, StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { Button, TextField, ThemeProvider, createTheme } from '@mui/material';
import { BoxGeometry, Mesh, MeshNormalMaterial, PerspectiveCamera, Scene } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { scaleLinear, select } from 'd3';

const root = document.querySelector('#root');
const scene = new Scene().add(new Mesh(new BoxGeometry(), new MeshNormalMaterial()));
new OrbitControls(new PerspectiveCamera(), root);
const width = scaleLinear([0, 3], [0, 300]);
select('#chart').selectAll('rect').data([1, 2, 3]).join('rect').attr('width', width);
const button = createElement(Button, { variant: 'contained' }, 'Draws ' + scene.children.length);
const field = createElement(TextField, { label: 'Name' });
function App() {
  useEffect(() => void requestAnimationFrame(() => parent.postMessage({ hasDrawn: true }, '*')), []);
  return createElement(ThemeProvider, { theme: createTheme() }, button, field);
}
createRoot(root).render(createElement(StrictMode, null, createElement(App)));`,
};
