document.querySelector("p")!.append(
  <b>
    {/* not seen */}
    caf&eacute; &rarr; {"{}"}
  </b>,
);
