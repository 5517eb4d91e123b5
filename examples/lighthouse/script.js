// Nothing to do here: the switches are checkboxes, and style.css looks at them with :has().
