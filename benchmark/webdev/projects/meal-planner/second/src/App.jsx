import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Modal } from "./ui/Modal.jsx";
import { Planner } from "./ui/Planner.jsx";
import { Shopping } from "./ui/Shopping.jsx";

const pages = { plan: ["Plan", Planner], shopping: ["Shopping list", Shopping] };

function currentPage() {
  const name = location.hash.replace("#/", "");
  return Object.hasOwn(pages, name) ? name : "plan";
}

export function App() {
  const [page, setPage] = useState(currentPage);
  const [modal, setModal] = useState(null);
  const opener = useRef(null);
  const headline = useRef(null);
  const [title, Content] = pages[page];

  useEffect(() => {
    const onChange = () => {
      const next = currentPage();
      setPage((old) => {
        if (old !== next) {
          requestAnimationFrame(() => headline.current.focus());
        }
        return next;
      });
    };
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);

  useLayoutEffect(() => {
    document.title = `${title} – Meal planner`;
  }, [title]);

  useEffect(() => {
    if (modal === null) {
      opener.current?.focus();
      opener.current = null;
    }
  }, [modal]);

  const ask = (question) => {
    opener.current = document.activeElement;
    setModal(question);
  };

  return (
    <>
      <div class="shell" inert={modal !== null}>
        <h1>Meal planner</h1>
        <nav aria-label="Main">
          {Object.entries(pages).map(([name, [label]]) => (
            <a key={name} href={`#/${name}`} aria-current={name === page ? "page" : "false"}>
              {label}
            </a>
          ))}
        </nav>
        <main>
          <h2 class="headline" ref={headline} tabIndex="-1">
            {title}
          </h2>
          <Content ask={ask} />
        </main>
      </div>
      {modal && <Modal {...modal} onDone={() => setModal(null)} />}
    </>
  );
}
