import logo from './logo.svg';
import styles from './App.module.css';

function App() {
  return (
    <div className={styles.App}>
      <img src={logo} alt="logo" />
      <p>{process.env.REACT_APP_TITLE} {process.env.NODE_ENV} {String(process.env.REACT_APP_NONE)} {`${process.env.PUBLIC_URL}/logo192.svg`}</p>
    </div>
  );
}

export default App;
