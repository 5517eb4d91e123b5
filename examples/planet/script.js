import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  IcosahedronGeometry,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  Points,
  PointsMaterial,
  Scene,
  SphereGeometry,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { height } from './lib/noise.js';

const fineness = 40; // more is smoother, and slower to make
const relief = 0.14; // how far the highest land stands out
const stars = 700;

// From the bottom of the sea to the peaks: up to this height, this color.
const bands = [
  [0.02, '#e8d8a0'],
  [0.18, '#6aa84f'],
  [0.34, '#3f7d43'],
  [0.5, '#8a7f72'],
  [Infinity, '#f4f7fa'],
].map(([limit, color]) => ({ limit, color: new Color(color) }));

const canvas = document.querySelector('canvas');
const output = document.querySelector('output');
const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;

const scene = new Scene();
const camera = new PerspectiveCamera(40, 1, 0.1, 100);
camera.position.set(0, 0.9, 3.6);

const sun = new DirectionalLight('#fff4e0', 3.2);
sun.position.set(4, 2, 3);
scene.add(sun, new AmbientLight('#7088c0', 0.7));

const sea = new Mesh(
  new SphereGeometry(1, 96, 64),
  new MeshStandardMaterial({ color: '#2f6fb5', roughness: 0.35 }),
);
const land = new Mesh(
  new IcosahedronGeometry(1, fineness),
  new MeshStandardMaterial({ vertexColors: true, flatShading: true, roughness: 0.9 }),
);
scene.add(sea, land, makeStars());

// Every point of a plain sphere moves in or out; its height also gives it its color.
const sphere = land.geometry.getAttribute('position').clone();
const colors = new BufferAttribute(new Float32Array(sphere.count * 3), 3);
land.geometry.setAttribute('color', colors);

function makeLand(seed) {
  const positions = land.geometry.getAttribute('position');
  const point = new Vector3();
  for (let at = 0; at < sphere.count; at++) {
    point.fromBufferAttribute(sphere, at);
    const h = height(point.x, point.y, point.z, seed);
    const { color } = bands.find(({ limit }) => h <= limit);
    colors.setXYZ(at, color.r, color.g, color.b);
    point.multiplyScalar(1 + h * relief);
    positions.setXYZ(at, point.x, point.y, point.z);
  }
  positions.needsUpdate = true;
  colors.needsUpdate = true;
  land.geometry.computeVertexNormals();
}

function makeStars() {
  const positions = new Float32Array(stars * 3);
  const point = new Vector3();
  for (let at = 0; at < stars; at++) {
    point.randomDirection().multiplyScalar(30);
    positions.set([point.x, point.y, point.z], at * 3);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  return new Points(geometry, new PointsMaterial({ color: '#cfdcff', size: 0.09 }));
}

function begin() {
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
  const controls = new OrbitControls(camera, canvas);
  Object.assign(controls, { enablePan: false, enableDamping: true, autoRotate: !isCalm });
  Object.assign(controls, { minDistance: 1.6, maxDistance: 8, autoRotateSpeed: 1 });

  const fit = () => {
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    renderer.setSize(innerWidth, innerHeight, false);
    camera.aspect = innerWidth / innerHeight;
    camera.updateProjectionMatrix();
  };
  fit();
  addEventListener('resize', fit);

  let seed = 1;
  makeLand(seed);
  const button = document.querySelector('button');
  button.disabled = false;
  button.addEventListener('click', () => {
    seed += 1;
    output.value = seed;
    makeLand(seed);
  });

  renderer.setAnimationLoop(() => {
    controls.update();
    renderer.render(scene, camera);
  });
}

if (document.createElement('canvas').getContext('webgl2')) begin();
else document.querySelector('p').hidden = false;
