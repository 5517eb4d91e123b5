import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

const count = 24;
const canvas = document.querySelector('canvas');
const isCalm = matchMedia('(prefers-reduced-motion: reduce)');

// The page's own background shows through.
const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(40, 1, 0.1, 100);
camera.position.set(0, 3, 7);
const controls = new OrbitControls(camera, canvas);
controls.enableDamping = true;

scene.add(new THREE.HemisphereLight('#ffffff', '#8d7a6b', 2));
const sun = new THREE.DirectionalLight('#ffffff', 2);
sun.position.set(3, 5, 4);
scene.add(sun);

const ring = new THREE.Group();
const block = new THREE.BoxGeometry(0.5, 0.5, 0.5);
for (let index = 0; index < count; index += 1) {
  const turn = (index / count) * Math.PI * 2;
  const color = new THREE.Color().setHSL(index / count, 0.6, 0.6);
  const mesh = new THREE.Mesh(block, new THREE.MeshStandardMaterial({ color, roughness: 0.6 }));
  mesh.position.set(Math.cos(turn) * 2.2, 0, Math.sin(turn) * 2.2);
  mesh.rotation.y = -turn;
  ring.add(mesh);
}
scene.add(ring);

new ResizeObserver(() => {
  const { clientWidth: width, clientHeight: height } = canvas;
  renderer.setPixelRatio(devicePixelRatio);
  renderer.setSize(width, height, false);
  camera.aspect = width / height;
  // On a narrow screen, the ring still fits.
  camera.fov = Math.min(80, 40 / Math.min(1, camera.aspect));
  camera.updateProjectionMatrix();
}).observe(canvas);

renderer.setAnimationLoop((time) => {
  const seconds = isCalm.matches ? 0 : time / 1000;
  ring.rotation.y = seconds * 0.2;
  ring.children.forEach((mesh, index) => {
    mesh.position.y = Math.sin(seconds + (index / count) * Math.PI * 6) * 0.5;
  });
  controls.update();
  renderer.render(scene, camera);
});
