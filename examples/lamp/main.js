import { makeDial } from './dial.js';
import { makeLamp } from './lamp.js';
import { makeSwitch } from './switch.js';
import styles from './room.module.css';

const lamp = makeLamp();
const dial = makeDial({ label: 'Brightness', value: 70, onChange: lamp.setBrightness });
const power = makeSwitch({ label: 'Light', isOn: true, onChange: lamp.setOn });

const desk = document.createElement('div');
desk.className = styles.desk;
desk.append(power, dial);

document.body.className = styles.root;
document.body.append(lamp.element, desk);
