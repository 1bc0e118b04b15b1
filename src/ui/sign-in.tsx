import { useState } from "preact/hooks";
import { ask, sentenceFor } from "./ask.ts";
import { formText } from "./parts/form-text.ts";

/** Asks for the token, once; from then on the browser has a cookie that no script can read. */
export function SignIn({ onEntered }: { onEntered: () => void }) {
  const [error, setError] = useState<string>();
  const enter = async (form: HTMLFormElement): Promise<void> => {
    try {
      await ask("enter", { body: { token: formText(form)["token"] ?? "" } });
      onEntered();
    } catch (failure) {
      setError(sentenceFor(failure));
    }
  };
  return (
    <main class="sign-in">
      <h1>Tidemark</h1>
      <p>
        This memory is locked. Enter the server’s token, or run <code>tidemark ui</code> for a link that lets you in.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter(event.currentTarget);
        }}
      >
        <label>
          Token
          <input
            type="password"
            name="token"
            autocomplete="current-password"
            required
            aria-invalid={error !== undefined}
          />
        </label>
        <button type="submit" class="primary">
          Enter
        </button>
      </form>
      {error && (
        <p class="failed" role="alert">
          {error}
        </p>
      )}
    </main>
  );
}
