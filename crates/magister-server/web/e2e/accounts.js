import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, test } from "./harness.js";

async function signIn(page, name, password) {
  await page.goto("/signin");
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
}

// Runs against a site with accounts whose administrator is `teacher`.
test("accounts-sign-in-and-administration", async (bench) => {
  const password = readFileSync(join(process.env.MAGISTER_TEST_FOLDER, "password"), "utf8");
  // A guest may look, and is asked to sign in before a match.
  const guest = await bench.page();
  await guest.goto("/play/tictactoe");
  await guest.getByRole("button", { name: "Start the match" }).click();
  await guest.getByRole("alert").getByRole("link", { name: "Sign in" }).click();
  await guest.waitForURL(/signin\?next=%2Fplay%2Ftictactoe/);
  await guest.getByLabel("Name").fill("Ada");
  await guest.getByLabel("Password").fill("a wrong password");
  await guest.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await guest.getByText("The name or the password is wrong.").waitFor();

  const teacher = await bench.page();
  await signIn(teacher, "teacher", password);
  await teacher.getByRole("link", { name: "teacher" }).waitFor();
  await teacher.goto("/admin");
  await teacher.getByLabel(/One per line/).fill("Ada\nGrace, amazing grace");
  await teacher.getByRole("button", { name: "Add", exact: true }).click();
  const row = teacher.locator(".made tr", { hasText: "Ada" });
  await row.waitFor();
  const given = await row.locator("code").textContent();
  const [file] = await Promise.all([teacher.waitForEvent("download"), teacher.getByRole("link", { name: "Download a backup" }).click()]);
  check(file.suggestedFilename() === "magister-backup.db", "the backup is a file");

  // The new account signs in where the guest was stopped, and plays under its name.
  await guest.getByLabel("Password").fill(given);
  await guest.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await guest.waitForURL(/\/play\/tictactoe$/);
  await guest.getByRole("button", { name: "Start the match" }).click();
  await guest.waitForURL(/\/match\//);
  await guest.getByText("Ada").first().waitFor();
  // A player is stored on the site and found again.
  await guest.goto("/student");
  await guest.getByLabel("Text of the player").fill("// mine");
  await guest.getByLabel("Name on the site").fill("Ada's player");
  await guest.getByRole("button", { name: "Upload" }).click();
  await guest.getByText("Ada's player is stored on the site.").waitFor();
  await guest.goto("/account");
  await guest.getByRole("cell", { name: "Ada's player", exact: true }).waitFor();
  await guest.getByLabel("Current password").fill(given);
  await guest.getByLabel(/New password/).fill("difference engine");
  await guest.getByRole("button", { name: "Change the password" }).click();
  await guest.getByText("Your password has been changed").waitFor();
  await guest.getByRole("button", { name: "Sign out" }).click();
  await guest.getByRole("link", { name: "Sign in" }).first().waitFor();

  await teacher.reload();
  await teacher.getByRole("button", { name: "Disable Grace" }).click();
  await teacher.getByRole("row", { name: /Grace/ }).getByText("disabled").waitFor();
  await teacher.getByRole("button", { name: "Delete Ada", exact: true }).click();
  await teacher.getByRole("button", { name: "Delete everything of Ada" }).click();
  await teacher.getByRole("row", { name: /Ada/ }).waitFor({ state: "detached" });
  // Refusals are reported in the console, as they should be.
  bench.faults = bench.faults.filter((fault) => !/status of 401/.test(fault));
});
