/** `/`: the form that starts a scan. */
import { page } from "./answer.tsx";
import { Form } from "./form.tsx";
import { pageGroup, type Visit } from "./visit.ts";

export function homeRoutes() {
  return pageGroup("home").get("/", ({ visit }) => homePage(visit));
}

function homePage(visit: Visit): Response {
  const { words } = visit;
  return page(visit, {
    title: words.say("home.title"),
    children: (
      <>
        <h1>{words.say("home.title")}</h1>
        <Form action="/scans">
          <label for="url">{words.say("home.url")}</label>
          <input id="url" name="url" type="text" inputMode="url" autocomplete="url" required maxLength={2_048} />
          <button type="submit">{words.say("home.start")}</button>
        </Form>
      </>
    ),
  });
}
