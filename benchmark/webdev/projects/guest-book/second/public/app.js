(() => {
  const form = document.forms[0];
  const output = document.querySelector("output");
  const tokenKey = (id) => "token of " + id;

  function offerDeletion() {
    for (const item of document.querySelectorAll("li[data-entry]")) {
      if (localStorage.getItem(tokenKey(item.dataset.entry))) {
        const button = document.createElement("button");
        button.textContent = "Delete the entry by " + item.dataset.guest;
        button.value = item.dataset.entry;
        item.append(button);
      }
    }
  }

  async function refresh() {
    const answer = await fetch(location.href);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.getElementById("book").replaceWith(fresh.getElementById("book"));
    offerDeletion();
  }

  function mark(problems) {
    for (const field of [form.elements.message, form.elements.name]) {
      const note = document.getElementById("wrong-" + field.name);
      const problem = problems[field.name];
      note.hidden = !problem;
      note.innerText = problem ?? "";
      field.setAttribute("aria-invalid", String(Boolean(problem)));
      if (problem) field.focus();
    }
  }

  form.onsubmit = async (event) => {
    event.preventDefault();
    const sent = { name: form.elements.name.value, message: form.elements.message.value };
    const answer = await fetch("/api/entries", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(sent),
    });
    const said = await answer.json();
    mark(said.fields ?? {});
    if (answer.status !== 201) {
      output.textContent = said.error;
      return;
    }
    localStorage.setItem(tokenKey(said.id), said.token);
    form.reset();
    if (location.search) history.pushState({}, "", "/");
    await refresh();
    output.textContent = "Thank you, " + said.name + "!";
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("li[data-entry] button");
    if (!button) return;
    const key = tokenKey(button.value);
    const answer = await fetch("/api/entries/" + button.value, {
      method: "DELETE",
      headers: { authorization: "Bearer " + localStorage.getItem(key) },
    });
    if (answer.status === 204 || answer.status === 404) {
      localStorage.removeItem(key);
      await refresh();
      output.textContent = "Your entry has been deleted.";
    }
  });

  window.onpopstate = refresh;
  offerDeletion();
})();
