import { render } from 'preact';
import './index.css';
import { App } from './app.jsx';

render(<App />, document.getElementById('app'));
